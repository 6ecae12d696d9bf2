// Every page that updates itself needs this: the SharedWorker that holds the one /stream connection of all tabs.
import { Stream } from "./live/stream.js";

const CLIENT_SILENCE = 180000; // hidden tabs may run timers once a minute only
const ports = new Map(); // port → when it was last heard
const kept = new Map(); // what a tab that comes later must know: the state, and each part's health

const stream = new Stream((message) => {
  if (message.event === "state") kept.set("state", message);
  if (message.event === "health") kept.set(message.data.part, message);
  for (const port of ports.keys()) port.postMessage(message);
});

function drop(port) {
  ports.delete(port);
  stream.leave(port);
  if (!ports.size) kept.clear();
}

globalThis.addEventListener("connect", ({ ports: [port] }) => {
  port.onmessage = ({ data }) => {
    if (data.bye) return drop(port);
    if (!ports.has(port)) for (const message of kept.values()) port.postMessage(message);
    ports.set(port, Date.now());
    if (data.want) for (const message of stream.want(port, data.want)) port.postMessage(message);
  };
});

setInterval(() => {
  for (const [port, heard] of ports) if (Date.now() - heard > CLIENT_SILENCE) drop(port);
}, 30000);
