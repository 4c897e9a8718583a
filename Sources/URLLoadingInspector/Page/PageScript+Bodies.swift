#if Inspector
  extension PageScript {
    /// The part of the script that shows bodies: as images, text or hexadecimal bytes.
    static let bodies = #"""
      const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/x-icon", "image/vnd.microsoft.icon"];
      const prettyLimit = 200000;

      function bodyParts(text, isBase64, type, cutAt, number, side) {
        const parts = [];
        const plainType = (type || "").split(";")[0].trim().toLowerCase();
        if (cutAt !== undefined) parts.push(el("p", { class: "warn", text: "Only the first " + bytes(cutAt) + " are recorded." }));
        if (isBase64 && imageTypes.includes(plainType) && cutAt === undefined) {
          const image = el("img", { alt: "The body as an image" });
          const url = URL.createObjectURL(new Blob([fromBase64(text)], { type: plainType }));
          image.addEventListener("load", () => URL.revokeObjectURL(url));
          image.src = url;
          parts.push(image);
        } else if (isBase64) {
          parts.push(el("pre", { text: hexDump(fromBase64(text)) }));
        } else {
          parts.push(prettyText(text, plainType));
        }
        if (!state.embedded) {
          parts.push(el("p", {}, el("a", { href: "api/body/" + number + "/" + side, download: "", text: "Save the body" })));
        }
        return parts;
      }

      function fromBase64(text) {
        return Uint8Array.from(atob(text), character => character.charCodeAt(0));
      }

      function hexDump(array) {
        const lines = [];
        for (let start = 0; start < Math.min(array.length, 4096); start += 16) {
          const line = array.slice(start, start + 16);
          const digits = [...line].map(byte => byte.toString(16).padStart(2, "0")).join(" ");
          const characters = [...line].map(byte => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".").join("");
          lines.push(start.toString(16).padStart(6, "0") + "  " + digits.padEnd(48) + " " + characters);
        }
        if (array.length > 4096) lines.push("… " + bytes(array.length) + " in all");
        return lines.join("\n");
      }

      function prettyText(text, type) {
        const pre = el("pre");
        let shown = text.slice(0, prettyLimit);
        const looksLikeJSON = type.includes("json") || /^\s*[{[]/.test(shown);
        if (looksLikeJSON && text.length <= prettyLimit) {
          try {
            colour(pre, JSON.stringify(JSON.parse(text), null, 2));
            return pre;
          } catch { /* Cut off, or no JSON. */ }
        }
        if (type === "application/x-www-form-urlencoded") shown = shown.split("&").join("\n");
        pre.textContent = shown + (text.length > prettyLimit ? "\n… " + bytes(text.length) + " in all" : "");
        return pre;
      }

      function colour(pre, text) {
        const pattern = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
        let end = 0;
        for (const match of text.matchAll(pattern)) {
          pre.append(text.slice(end, match.index));
          if (match[1]) pre.append(el("span", { class: match[2] ? "key" : "str", text: match[1] }), match[2] || "");
          else pre.append(el("span", { class: "val", text: match[0] }));
          end = match.index + match[0].length;
        }
        pre.append(text.slice(end));
      }
      """#
  }
#endif
