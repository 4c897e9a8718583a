#if Inspector
  extension PageScript {
    /// The part of the script that shows WebSocket messages and events of event streams.
    static let messages = #"""
      function messagesPart(row, details) {
        const parts = [];
        if (details.droppedMessages) parts.push(el("p", { class: "faint", text: details.droppedMessages + " older messages aren't kept." }));
        for (const message of details.messages) {
          const text = message.text ? message.content : "binary, base64: " + message.content;
          parts.push(el("div", { class: "message" + (message.sent ? " sent" : "") },
            el("span", { class: "faint", text: (message.sent ? "↑ sent " : "↓ received ") + "at " + time(message.time) + ", " + bytes(message.size) }),
            message.text ? prettyText(text, "") : el("pre", { text: text })));
        }
        return parts;
      }
      """#
  }
#endif
