#if Inspector
  extension PageScript {
    /// The part of the script with the list of transfers: filter, sorting, and drawing of the visible rows.
    static let list = #"""
      const columns = [
        ["n", "#", row => row.n], ["status", "Status", row => row.status], ["method", "Method", row => row.method],
        ["name", "Name", row => row.host + row.path], ["type", "Type", row => row.type],
        ["size", "Size", row => row.received], ["time", "Time", row => row.duration === null ? Infinity : row.duration],
        ["fall", "Waterfall", row => row.start]
      ];

      function makeColumns() {
        for (const [key, title] of columns) {
          const button = el("button", { type: "button", text: title, tabindex: "-1", onclick: () => sortBy(key) });
          $("columns").append(el("span", { role: "columnheader", class: "c-" + key, id: "column-" + key }, button));
        }
        showSort();
      }

      function sortBy(key) {
        state.down = state.sort === key ? !state.down : false;
        state.sort = key;
        showSort();
        arrange();
      }

      function showSort() {
        for (const [key, title] of columns) {
          const head = $("column-" + key);
          head.firstChild.textContent = title + (key === state.sort ? (state.down ? " ▾" : " ▴") : "");
          if (key === state.sort) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
          else head.removeAttribute("aria-sort");
        }
      }

      function makeFilter() {
        const tests = [];
        for (const word of state.filter.toLowerCase().split(/\s+/).filter(Boolean)) {
          const isNot = word.startsWith("-") && word.length > 1;
          const plain = isNot ? word.slice(1) : word;
          const [, key, value] = plain.match(/^(status|host|type|method|slower|larger|state):(.*)$/) || [];
          let test = row => row.text.includes(plain);
          if (key === "status") test = row => String(row.status).startsWith(value.replace(/x+$/, ""));
          if (key === "host") test = row => row.host.toLowerCase().includes(value);
          if (key === "type") test = row => row.type.toLowerCase().includes(value);
          if (key === "method") test = row => row.method.toLowerCase() === value;
          if (key === "state") test = row => row.state.startsWith(value);
          if (key === "slower") test = row => (row.duration || 0) > Number(value);
          if (key === "larger") test = row => row.received > Number(value);
          tests.push(isNot ? row => !test(row) : test);
        }
        if (state.errors) tests.push(row => row.isBad);
        if (state.slow) tests.push(row => (row.duration || 0) > 1000);
        if (state.messages) tests.push(row => row.messages > 0);
        return row => tests.every(test => test(row));
      }

      let isArrangePlanned = false;
      function planArrange() {
        if (isArrangePlanned) return;
        isArrangePlanned = true;
        requestAnimationFrame(() => { isArrangePlanned = false; arrange(); });
      }

      function arrange() {
        const scroll = $("scroll");
        const isAtEnd = state.follows && state.sort === "n" && !state.down && scroll.scrollTop + scroll.clientHeight >= scroll.scrollHeight - rowHeight;
        const passes = makeFilter();
        state.shown = [...state.all.values()].filter(passes);
        const value = columns.find(column => column[0] === state.sort)[2];
        const way = state.down ? -1 : 1;
        if (state.sort !== "n" || state.down) {
          state.shown.sort((a, b) => {
            const [x, y] = [value(a), value(b)];
            return (x < y ? -1 : x > y ? 1 : a.n - b.n) * way;
          });
        }
        state.first = Infinity;
        state.last = -Infinity;
        for (const row of state.shown) {
          state.first = Math.min(state.first, row.start);
          state.last = Math.max(state.last, row.start + (row.duration || 0));
        }
        $("space").style.height = state.shown.length * rowHeight + "px";
        $("grid").setAttribute("aria-rowcount", String(state.shown.length + 1));
        $("empty").hidden = state.shown.length > 0;
        $("empty").textContent = state.all.size ? "No transfer passes the filter." : "Nothing has been recorded yet.";
        if (isAtEnd && state.selected === null) scroll.scrollTop = scroll.scrollHeight;
        draw();
        tellStatus();
        if (state.view === "connections") drawConnections();
      }

      function tellStatus(away) {
        let received = 0, sent = 0, bad = 0;
        for (const row of state.shown) { received += row.received; sent += row.sent; if (row.isBad) bad += 1; }
        const count = state.shown.length === state.all.size ? state.all.size + " transfers" : state.shown.length + " of " + state.all.size + " transfers";
        const parts = [count, bytes(received) + " received", bytes(sent) + " sent"];
        if (bad) parts.push(bad + " with errors");
        if (state.paused) parts.push("paused");
        if (away) parts.unshift("The program is gone or doesn't answer");
        $("status").className = away ? "away" : "";
        $("status").textContent = parts.join(" · ");
      }

      const spans = [["lookup", 0, 1], ["connect", 2, 3], ["tls", 4, 5], ["send", 6, 7], ["wait", 7, 8], ["receive", 8, 10]];

      function bars(row, first, length) {
        const end = row.phases[10] === null ? Math.max(0, Date.now() - row.start) : row.phases[10];
        const place = value => 100 * (row.start + value - first) / length;
        const parts = [];
        function bar(kind, from, to) {
          const node = el("i", { class: kind });
          node.style.left = Math.max(0, Math.min(99.5, place(from))) + "%";
          node.style.width = Math.max(0, 100 * (Math.min(to, end) - from) / length) + "%";
          parts.push(node);
        }
        bar("blocked", 0, end);
        for (const [kind, from, to] of spans) {
          const begin = row.phases[from];
          if (begin === null || row.reused && from < 6) continue;
          const stop = row.phases[to] === null ? end : row.phases[to];
          if (stop >= begin) bar(kind, begin, stop);
        }
        return parts;
      }

      function draw() {
        const scroll = $("scroll"), rows = $("rows");
        const begin = Math.max(0, Math.floor(scroll.scrollTop / rowHeight) - 8);
        const end = Math.min(state.shown.length, begin + Math.ceil(scroll.clientHeight / rowHeight) + 16);
        const length = Math.max(1, state.last - state.first);
        const nodes = [];
        for (let index = begin; index < end; index += 1) nodes.push(rowNode(state.shown[index], index, length));
        rows.replaceChildren(...nodes);
        rows.style.transform = "translateY(" + begin * rowHeight + "px)";
        $("columns").style.setProperty("--gutter", scroll.offsetWidth - scroll.clientWidth + "px");
        const chosen = document.getElementById("row-" + state.selected);
        if (chosen) $("grid").setAttribute("aria-activedescendant", chosen.id);
        else $("grid").removeAttribute("aria-activedescendant");
      }

      function rowNode(row, index, length) {
        const node = el("div", {
          role: "row", id: "row-" + row.n, "aria-rowindex": String(index + 2), "aria-selected": String(row.n === state.selected),
          class: "row" + (row.isBad ? " bad" : "") + (row.state === "active" ? " active" : ""), onclick: () => select(row.n)
        });
        const cell = (key, text, kind) => {
          const span = el("span", { role: "gridcell", class: "c-" + key + (kind ? " " + kind : ""), text: text });
          node.append(span);
          return span;
        };
        cell("n", row.n, "num faint");
        cell("status", statusText(row));
        cell("method", row.kind === "webSocket" ? "WS" : row.method);
        const name = cell("name", "");
        name.title = row.url;
        name.append(el("span", { class: "faint host", text: row.host }), el("span", { class: "path", text: row.path }));
        cell("type", row.source === "cache" ? "from cache" : row.type.split(";")[0], "faint");
        cell("size", row.source === "cache" ? "cache" : row.messages ? row.messages + " msg" : bytes(row.received), "num");
        cell("time", time(row.duration), "num");
        const fall = cell("fall", "", "fall");
        fall.append(...bars(row, state.first, length));
        return node;
      }
      """#
  }
#endif
