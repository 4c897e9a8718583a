#if Inspector
  extension PageScript {
    /// The part of the script with the connections view, which shows the transfers of each connection.
    static let connections = #"""
      function drawConnections() {
        const groups = new Map();
        for (const row of state.shown) {
          if (!row.connection) continue;
          if (!groups.has(row.connection)) groups.set(row.connection, []);
          groups.get(row.connection).push(row);
        }
        const nodes = [...groups.keys()].sort((a, b) => a - b).slice(-200).map(number => connectionNode(number, groups.get(number)));
        if (!nodes.length) nodes.push(el("p", { class: "faint", text: "No transfer has used a connection." }));
        $("connections").replaceChildren(...nodes);
      }

      function connectionNode(number, rows) {
        const first = Math.min(...rows.map(row => row.start));
        const last = Math.max(...rows.map(row => row.start + (row.duration || 0)));
        const length = Math.max(1, last - first);
        // Each transfer gets the first lane that is free.
        const lanes = [];
        const track = el("div", { class: "track" });
        for (const row of rows.slice(-500)) {
          const begin = row.start + (row.phases[6] || 0), end = row.start + (row.duration || 0);
          let lane = lanes.findIndex(free => free <= begin);
          if (lane < 0) lane = lanes.push(0) - 1;
          lanes[lane] = end;
          const bar = el("button", {
            type: "button", class: row.isBad ? "bad" : "", title: "#" + row.n + " " + row.method + " " + row.url, "aria-label": "#" + row.n + " " + row.method + " " + row.path,
            onclick: () => select(row.n)
          });
          bar.style.left = Math.min(99.5, 100 * (begin - first) / length) + "%";
          bar.style.width = Math.max(0, 100 * (end - begin) / length) + "%";
          bar.style.top = lane * 17 + 2 + "px";
          track.append(bar);
        }
        track.style.height = lanes.length * 17 + 3 + "px";
        const row = rows[0];
        return el("div", { class: "connection" },
          el("strong", { text: "#" + number + " " + row.host }),
          el("span", { class: "faint", text: " " + row.protocol + (row.address ? ", " + row.address : "") + " · " + rows.length + (rows.length === 1 ? " transfer" : " transfers") + ", " + lanes.length + " at once · " + bytes(rows.reduce((sum, each) => sum + each.received, 0)) + " in " + time(length) }),
          track);
      }

      function showView(name) {
        state.view = name;
        $("list").hidden = name !== "list";
        $("connections").hidden = name !== "connections";
        $("view-list").setAttribute("aria-selected", String(name === "list"));
        $("view-connections").setAttribute("aria-selected", String(name === "connections"));
        if (name === "connections") drawConnections(); else draw();
      }
      """#
  }
#endif
