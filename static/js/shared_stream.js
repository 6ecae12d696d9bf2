// Every page that updates itself needs this: the SharedWorker that holds the one /stream connection of all tabs of a cluster. Each tab is told what its page shows.
import { Stream } from "./live/stream.js";
import { forClient } from "./live/union.js";

const CLIENT_SILENCE = 180000; // hidden tabs may run timers once a minute only
const ports = new Map(); // port → when it was last heard
const kept = new Map(); // what a tab that comes later must know: the state, and each part's health

const stream = new Stream((messages) => {
  for (const message of messages) {
    if (message.event === "state") kept.set("state", message);
    if (message.event === "health") kept.set(message.data.part, message);
  }
  for (const port of ports.keys()) post(port, forClient(messages, stream.subscriptions.get(port) ?? NOTHING));
}, globalThis.name.split(" ")[1] || "/stream"); // one worker for each cluster and whoever acts there: see live.js
const NOTHING = { rows: new Map(), notices: new Map() };

function post(port, messages) {
  if (messages.length) port.postMessage(messages);
}

function drop(port) {
  ports.delete(port);
  stream.leave(port);
  if (!ports.size) kept.clear();
}

globalThis.addEventListener("connect", ({ ports: [port] }) => {
  port.onmessage = ({ data }) => {
    if (data.bye) return drop(port);
    if (!ports.has(port)) post(port, [...kept.values()]);
    ports.set(port, Date.now());
    if (data.want) post(port, stream.want(port, data.want));
    // How far the connection is: a tab whose objects are quiet goes on from there.
    else post(port, [{ event: "at", id: stream.last }]);
  };
});

setInterval(() => {
  for (const [port, heard] of ports) if (Date.now() - heard > CLIENT_SILENCE) drop(port);
}, 30000);
