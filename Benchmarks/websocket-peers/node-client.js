// The benchmark client over Node's `ws`: as the Swift clients, CONCURRENCY sockets that send a message and wait for the answer.
"use strict";
const fs = require("fs");
const WebSocket = require("ws");

const sizes = { "ws-125": 125, "ws-16k": 16 << 10, "ws-1m": 1 << 20, "ws-open": 125, "wss-open": 125 };
const [scenario, url, countText, concurrencyText, ...rest] = process.argv.slice(2);
const authority = rest[0] === "--cacert" ? fs.readFileSync(rest[1]) : undefined;
const message = Buffer.alloc(sizes[scenario], 7);
const [count, concurrency] = [Number(countText), Number(concurrencyText)];

const fail = (error) => {
  console.error(String(error.message || error));
  process.exit(1);
};

const open = () =>
  new Promise((resolve) => {
    const socket = new WebSocket(url, { perMessageDeflate: false, ca: authority, maxPayload: 2 << 20 });
    socket.on("error", fail);
    socket.once("open", () => resolve(socket));
    socket.on("message", (answer) => {
      if (answer.length !== message.length) fail(`a message came back as ${answer.length}`);
      socket.answered();
    });
  });

const exchange = (socket) =>
  new Promise((resolve) => {
    socket.answered = resolve;
    socket.send(message);
  });

const memory = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(fs.readFileSync("/proc/self/status", "utf8"))[1]);
const processor = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

const share = (sockets, total) =>
  Promise.all(
    sockets.map(async (socket, index) => {
      const part = Math.floor(total / sockets.length) + (index < total % sockets.length ? 1 : 0);
      for (let done = 0; done < part; done++) await exchange(socket);
    })
  );

const echo = async () => {
  const sockets = await Promise.all(Array.from({ length: concurrency }, open));
  await share(sockets, Math.max(concurrency, Math.floor(count / 20)));
  const [before, start] = [processor(), process.hrtime.bigint()];
  await share(sockets, count);
  return { before, start, messages: count };
};

const stayOpen = async () => {
  const first = await open();
  for (let done = 0; done < 100; done++) await exchange(first);
  const memoryBefore = memory("VmRSS");
  const sockets = [];
  while (sockets.length < concurrency) {
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(50, concurrency - sockets.length) }, open))));
  }
  const [before, start, now] = [processor(), process.hrtime.bigint(), Date.now()];
  const rounds = Math.max(1, Math.floor(count / concurrency));
  await Promise.all(
    sockets.map(async (socket, index) => {
      for (let round = 0; round < rounds; round++) {
        await new Promise((resolve) => setTimeout(resolve, now + 1000 * (round + index / concurrency) - Date.now()));
        await exchange(socket);
      }
    })
  );
  return { before, start, messages: rounds * concurrency, memory: (memory("VmRSS") - memoryBefore) / concurrency };
};

(scenario.endsWith("open") ? stayOpen() : echo())
  .then(({ before, start, messages, memory: each }) => {
    const seconds = Number(process.hrtime.bigint() - start) / 1e9;
    const line = {
      cpu_us_per_request: (processor() - before) / messages,
      requests_per_second: messages / seconds,
      gigabytes_per_second: null,
      peak_mib: memory("VmHWM") / 1024,
    };
    if (each !== undefined) line.kib_per_connection = each;
    console.log(JSON.stringify(line));
    process.exit(0);
  })
  .catch(fail);
