#if Inspector
  /// The page's style sheet.
  enum PageStyle {
    static let text = #"""
      :root {
        color-scheme: light dark;
        --back: #ffffff; --soft: #f4f5f7; --line: #d9dce1; --ink: #1c1f24; --faint: #5d6470; --accent: #0b57d0; --on: #dbe7fd;
        --bad: #b3261e; --warn: #8a5300; --good: #146c2e;
        --lookup: #12807a; --connect: #c26401; --tls: #8e3db8; --send: #3f7d20; --wait: #2f8f46; --receive: #2a6fdb; --blocked: #9aa1ab;
      }
      @media (prefers-color-scheme: dark) {
        :root {
          --back: #17191c; --soft: #1f2226; --line: #363b42; --ink: #e6e8eb; --faint: #9ba3ae; --accent: #8ab4f8; --on: #24344f;
          --bad: #ff8a80; --warn: #f5b95f; --good: #7fd899;
          --lookup: #39b5ad; --connect: #f0973a; --tls: #c58be0; --send: #93c763; --wait: #5fbf76; --receive: #6ca4f5; --blocked: #6b727c;
        }
      }
      * { box-sizing: border-box; }
      [hidden] { display: none !important; }
      html, body { height: 100%; margin: 0; }
      body { display: flex; flex-direction: column; background: var(--back); color: var(--ink); font: 13px/1.4 system-ui, sans-serif; }
      h1 { font-size: 14px; margin: 0; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; max-width: 22em; }
      h2 { font-size: 13px; margin: 14px 0 6px; }
      h2:first-child { margin-top: 0; }
      header { display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: center; padding: 8px 12px; border-bottom: 1px solid var(--line); background: var(--soft); }
      .filters { display: flex; flex: 1 1 26em; gap: 4px 10px; align-items: center; flex-wrap: wrap; }
      #filter { flex: 1 1 14em; min-width: 8em; }
      .actions, nav, .copies { display: flex; gap: 4px; align-items: center; }
      #status { flex-basis: 100%; margin: 0; color: var(--faint); font-variant-numeric: tabular-nums; }
      #status.away { color: var(--bad); }
      button, .actions a, input[type=search] { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 5px; padding: 3px 9px; text-decoration: none; }
      button { cursor: pointer; }
      button:hover, .actions a:hover { border-color: var(--accent); }
      button[aria-selected=true], button[aria-pressed=true] { background: var(--on); border-color: var(--accent); }
      :focus-visible { outline: 2px solid var(--accent); outline-offset: -1px; }
      label { display: inline-flex; gap: 3px; align-items: center; white-space: nowrap; }
      main { flex: 1; min-height: 0; display: flex; }
      #list { flex: 1; min-width: 0; display: flex; flex-direction: column; position: relative; }
      #connections { flex: 1; min-width: 0; overflow: auto; padding: 12px; }
      #grid { flex: 1; min-height: 0; display: flex; flex-direction: column; }
      #columns, .row { display: grid; grid-template-columns: 4em 4.8em 5.4em minmax(10em, 3fr) minmax(5em, 1fr) 5.6em 5.6em minmax(8em, 2fr); }
      #columns { border-bottom: 1px solid var(--line); background: var(--soft); padding-right: var(--gutter, 0); }
      #columns button { border: 0; border-radius: 0; background: none; text-align: left; padding: 4px 8px; width: 100%; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; color: var(--faint); }
      #columns .c-n button, #columns .c-size button, #columns .c-time button { text-align: right; }
      #columns [aria-sort] button { color: var(--ink); font-weight: 600; }
      #scroll { flex: 1; min-height: 0; overflow: hidden auto; position: relative; }
      #rows { position: absolute; top: 0; left: 0; right: 0; will-change: transform; }
      .row { height: 26px; line-height: 26px; border-bottom: 1px solid color-mix(in srgb, var(--line) 45%, transparent); cursor: default; }
      .row > span { padding: 0 8px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
      .row .num { text-align: right; font-variant-numeric: tabular-nums; }
      .row:hover { background: var(--soft); }
      .row[aria-selected=true] { background: var(--on); }
      .row.bad, .bad { color: var(--bad); }
      .row.active { font-style: italic; }
      .faint { color: var(--faint); }
      /* What is cut of a long name is the host first. */
      .row .c-name { display: flex; }
      .host, .path { overflow: hidden; white-space: pre; text-overflow: ellipsis; min-width: 0; }
      .host { flex: 0 100 auto; min-width: 4ch; }
      .path { flex: 0 1 auto; max-width: 80%; }
      .warn { color: var(--warn); }
      .good { color: var(--good); }
      .fall { position: relative; }
      .fall i { position: absolute; top: 7px; height: 12px; min-width: 1px; border-radius: 1px; }
      .blocked { background: var(--blocked); } .lookup { background: var(--lookup); } .connect { background: var(--connect); }
      .tls { background: var(--tls); } .send { background: var(--send); } .wait { background: var(--wait); } .receive { background: var(--receive); }
      #empty { position: absolute; inset: 40% 0 auto; text-align: center; color: var(--faint); pointer-events: none; }
      #details { width: 46%; min-width: 22em; border-left: 1px solid var(--line); display: flex; flex-direction: column; min-height: 0; }
      .bar { display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; padding: 6px 8px; border-bottom: 1px solid var(--line); background: var(--soft); }
      #tabs { display: flex; flex-wrap: wrap; gap: 4px; flex: 1 1 20em; }
      #panel { flex: 1; overflow: auto; padding: 10px 12px; }
      a { color: var(--accent); }
      dl { display: grid; grid-template-columns: minmax(7em, max-content) 1fr; gap: 3px 12px; margin: 0; }
      dt { color: var(--faint); overflow-wrap: anywhere; }
      dd { margin: 0; overflow-wrap: anywhere; }
      pre { margin: 4px 0; padding: 8px; background: var(--soft); border: 1px solid var(--line); border-radius: 5px; white-space: pre-wrap; overflow-wrap: anywhere; font: 12px/1.45 ui-monospace, monospace; }
      pre .key { color: var(--accent); } pre .str { color: var(--good); } pre .val { color: var(--warn); }
      img { max-width: 100%; border: 1px solid var(--line); }
      table { border-collapse: collapse; width: 100%; }
      td, th { text-align: left; padding: 3px 8px; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
      th { color: var(--faint); font-weight: 500; }
      td.num, th.num { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
      .phases { display: grid; grid-template-columns: max-content 1fr max-content; gap: 4px 10px; align-items: center; }
      .phases .track { position: relative; height: 14px; background: var(--soft); border-radius: 2px; }
      .phases .track i { position: absolute; top: 0; height: 14px; min-width: 2px; border-radius: 2px; }
      .message { border-left: 3px solid var(--receive); padding: 2px 0 2px 8px; margin: 0 0 8px; }
      .message.sent { border-color: var(--send); }
      .message pre { margin: 2px 0 0; }
      .connection { border: 1px solid var(--line); border-radius: 6px; padding: 8px 10px; margin-bottom: 10px; }
      .connection .track { position: relative; background: var(--soft); border-radius: 3px; margin-top: 6px; }
      .connection .track button { position: absolute; height: 14px; padding: 0; border: 0; border-radius: 2px; min-width: 3px; background: var(--receive); }
      .connection .track button.bad { background: var(--bad); }
      @media (max-width: 1000px) {
        #columns, .row { grid-template-columns: 4.8em 5.4em minmax(8em, 3fr) 5.6em 5.6em minmax(4em, 1fr); }
        .c-n, .c-type { display: none; }
      }
      @media (max-width: 640px) {
        #columns, .row { grid-template-columns: 4.4em minmax(8em, 1fr) 5.8em; }
        .c-method, .c-size, .c-fall { display: none; }
        h1 { max-width: 12em; }
        #details { position: fixed; inset: 0; width: auto; min-width: 0; background: var(--back); border: 0; z-index: 2; }
        .actions a, .actions button, nav button { padding: 3px 7px; }
      }
      @media (prefers-reduced-motion: no-preference) { .row { transition: background .08s; } }
      """#
  }
#endif
