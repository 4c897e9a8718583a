#if Inspector
  extension PageScript {
    /// The part of the script with the page's state, and helpers that create elements and format texts.
    static let base = #"""
      const $ = id => document.getElementById(id);
      const rowHeight = 26;
      const columnNames = ["n", "session", "task", "kind", "state", "method", "url", "status", "type", "start", "received", "sent", "decoded",
        "source", "connection", "protocol", "reused", "cache", "error", "messages", "phases", "address", "description"];
      const state = {
        all: new Map(), shown: [], filter: "", errors: false, slow: false, messages: false, sort: "n", down: false,
        selected: null, tab: "Overview", view: "list", paused: false, details: null, embedded: null, first: 0, last: 1
      };

      function el(name, props, ...children) {
        const node = document.createElement(name);
        for (const [key, value] of Object.entries(props || {})) {
          if (key === "class") node.className = value;
          else if (key === "text") node.textContent = value;
          else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
          else node.setAttribute(key, value);
        }
        for (const child of children) if (child !== null && child !== undefined) node.append(child);
        return node;
      }

      function fromRow(values) {
        const row = {};
        columnNames.forEach((name, index) => { row[name] = values[index]; });
        let rest = row.url, host = "";
        const mark = row.url.indexOf("://");
        if (mark > 0) {
          const end = row.url.slice(mark + 3).search(/[\/?#]/);
          host = end < 0 ? row.url.slice(mark + 3) : row.url.slice(mark + 3, mark + 3 + end);
          rest = end < 0 ? "/" : row.url.slice(mark + 3 + end);
        }
        row.host = host;
        row.path = rest;
        row.duration = row.phases[10];
        row.isBad = row.error !== "" && row.state !== "cancelled" || row.status >= 400;
        row.text = [row.url, row.method, row.status, row.type, row.error, row.description, row.state].join(" ").toLowerCase();
        return row;
      }

      function bytes(count) {
        if (count < 1000) return count + " B";
        if (count < 1e6) return (count / 1e3).toFixed(count < 1e4 ? 1 : 0) + " kB";
        if (count < 1e9) return (count / 1e6).toFixed(count < 1e7 ? 1 : 0) + " MB";
        return (count / 1e9).toFixed(1) + " GB";
      }

      function time(ms) {
        if (ms === null || ms === undefined) return "…";
        if (ms < 1) return ms.toFixed(2) + " ms";
        if (ms < 1000) return ms.toFixed(ms < 10 ? 1 : 0) + " ms";
        return ms < 60000 ? (ms / 1000).toFixed(2) + " s" : (ms / 60000).toFixed(1) + " min";
      }

      function statusText(row) {
        if (row.status) return String(row.status);
        if (row.state === "failed") return "failed";
        if (row.state === "cancelled") return "ended";
        return row.state === "active" ? "…" : "–";
      }
      """#
  }
#endif
