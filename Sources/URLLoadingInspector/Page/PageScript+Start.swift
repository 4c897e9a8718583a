#if Inspector
  extension PageScript {
    /// The part of the script that handles keys and the event stream, and starts the page.
    static let start = #"""
      function move(by) {
        const index = state.shown.findIndex(row => row.n === state.selected);
        const next = index < 0 ? (by > 0 ? 0 : state.shown.length - 1) : Math.max(0, Math.min(state.shown.length - 1, index + by));
        if (state.shown[next]) select(state.shown[next].n);
      }

      function onKey(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const isTyping = event.target.id === "filter";
        if (event.key === "Escape") {
          if (isTyping) { $("filter").value = ""; setFilter(); $("grid").focus(); } else select(null);
          return;
        }
        if (isTyping) {
          if (event.key === "ArrowDown" || event.key === "Enter") { event.preventDefault(); $("grid").focus(); if (state.selected === null) move(1); }
          return;
        }
        if (event.key === "/") { event.preventDefault(); $("filter").focus(); return; }
        const inTabs = event.target.closest && event.target.closest("#tabs");
        if (inTabs && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
          const names = [...$("tabs").children];
          const index = names.findIndex(node => node.getAttribute("aria-selected") === "true") + (event.key === "ArrowRight" ? 1 : -1);
          names[(index + names.length) % names.length].click();
          [...$("tabs").children].find(node => node.getAttribute("aria-selected") === "true").focus();
          return;
        }
        if (event.target.closest && event.target.closest("#panel")) return;
        const page = Math.max(1, Math.floor($("scroll").clientHeight / rowHeight) - 1);
        const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9, j: 1, k: -1 };
        if (steps[event.key] !== undefined && state.view === "list") { event.preventDefault(); move(steps[event.key]); }
      }

      function setFilter() {
        state.filter = $("filter").value;
        state.errors = $("only-errors").checked;
        state.slow = $("only-slow").checked;
        state.messages = $("only-messages").checked;
        arrange();
      }

      async function post(path) { await fetch("api/" + path, { method: "POST" }).catch(() => tellStatus(true)); }

      async function copy(text, button) {
        try {
          await navigator.clipboard.writeText(text);
        } catch {
          const area = el("textarea");
          area.value = text;
          document.body.append(area);
          area.select();
          document.execCommand("copy");
          area.remove();
        }
        const title = button.textContent;
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = title; }, 1200);
      }

      function take(message) {
        state.follows = !message.reset && !state.embedded;
        if (message.reset) state.all.clear();
        for (const number of state.all.keys()) {
          if (number >= message.first) break;
          state.all.delete(number);
        }
        let isSelectedChanged = false;
        for (const values of message.rows) {
          const row = fromRow(values);
          state.all.set(row.n, row);
          if (row.n === state.selected) isSelectedChanged = true;
        }
        state.paused = message.paused;
        $("pause").setAttribute("aria-pressed", String(message.paused));
        $("pause").textContent = message.paused ? "Resume" : "Pause";
        if (state.selected !== null && !state.all.has(state.selected)) select(null);
        else if (isSelectedChanged) loadDetails(state.selected);
        planArrange();
      }

      function listen() {
        const source = new EventSource("api/events");
        source.onmessage = event => take(JSON.parse(event.data));
        source.onerror = () => tellStatus(true);
      }

      function begin() {
        $("title").textContent = document.title;
        makeColumns();
        $("scroll").addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
        new ResizeObserver(() => draw()).observe($("scroll"));
        for (const id of ["filter", "only-errors", "only-slow", "only-messages"]) $(id).addEventListener("input", setFilter);
        $("pause").addEventListener("click", () => post(state.paused ? "resume" : "pause"));
        $("clear").addEventListener("click", () => post("clear"));
        $("close").addEventListener("click", () => { select(null); $("grid").focus(); });
        $("copy-curl").addEventListener("click", event => state.details && copy(state.details.curl, event.target));
        $("copy-swift").addEventListener("click", event => state.details && copy(state.details.swift, event.target));
        $("view-list").addEventListener("click", () => showView("list"));
        $("view-connections").addEventListener("click", () => showView("connections"));
        document.addEventListener("keydown", onKey);
        const recording = $("recording");
        if (!recording) return listen();
        state.embedded = JSON.parse(recording.textContent);
        for (const node of document.querySelectorAll(".actions")) node.hidden = true;
        take({ reset: true, first: 0, paused: false, rows: state.embedded.rows });
      }

      begin();
      """#
  }
#endif
