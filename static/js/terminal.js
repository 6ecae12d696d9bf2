// A shell in a container. Frames are the API server's: the first byte is the channel (0 in, 1 out, 3 the end as a Status, 4 the size).
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";

// xterm writes style elements; the Content-Security-Policy takes those that carry this page's nonce.
const nonce = document.querySelector("meta[name=csp-nonce]")?.content ?? "";
const create = document.createElement.bind(document);
document.createElement = (name, options) => {
  const node = create(name, options);
  if (name === "style") node.nonce = nonce;
  return node;
};

const place = document.getElementById("terminal");
const state = document.getElementById("terminal-state");
const again = document.getElementById("terminal-again");
const font = getComputedStyle(document.documentElement).getPropertyValue("--pf-t--global--font--family--mono") || "monospace";
const terminal = new Terminal({ cursorBlink: true, fontFamily: font, fontSize: 13, scrollback: 10000, screenReaderMode: true, theme: { background: "#151515" } });
const fit = new FitAddon();
terminal.loadAddon(fit);
terminal.open(place);
fit.fit();

const encoder = new TextEncoder();
let socket;
function send(channel, bytes) {
  if (socket?.readyState !== WebSocket.OPEN) return;
  const frame = new Uint8Array(bytes.length + 1);
  frame[0] = channel;
  frame.set(bytes, 1);
  socket.send(frame);
}
const size = () => send(4, encoder.encode(JSON.stringify({ Width: terminal.cols, Height: terminal.rows })));

// Images that hold only one program have no shell, and container runtimes say so in their own ways.
const NO_SHELL = /\/bin\/sh\b.*(no such file|not found)|executable file not found/i;
function ended(words) {
  state.textContent = words;
  again.hidden = false;
  if (NO_SHELL.test(words)) document.getElementById("terminal-noshell").hidden = false;
}

const full = document.getElementById("terminal-full");
full.hidden = !document.fullscreenEnabled;
full.addEventListener("click", () => place.requestFullscreen().then(() => terminal.focus()));

function connect() {
  const address = new URL(place.dataset.socket, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  socket = new WebSocket(address);
  socket.binaryType = "arraybuffer";
  again.hidden = true;
  let said = "";
  socket.addEventListener("open", () => { state.textContent = state.dataset.textOpen; size(); terminal.focus(); });
  socket.addEventListener("message", ({ data }) => {
    const bytes = new Uint8Array(data);
    if (bytes[0] === 1 || bytes[0] === 2) terminal.write(bytes.subarray(1));
    if (bytes[0] === 3) {
      const status = JSON.parse(new TextDecoder().decode(bytes.subarray(1)));
      said = status.status === "Success" ? state.dataset.textEnded : status.message ?? status.reason;
    }
  });
  socket.addEventListener("close", () => ended(said || state.dataset.textLost));
}

terminal.onData((text) => send(0, encoder.encode(text)));
terminal.onBinary((text) => send(0, Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
terminal.onResize(size);
new ResizeObserver(() => fit.fit()).observe(place);
again.addEventListener("click", () => { terminal.reset(); connect(); });
connect();
