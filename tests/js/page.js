// A page for modules that expect a browser: happy-dom's document, a clock that a test moves, a fetch that a test answers.
//   const { module, document } = await page("<div id=main></div>", "live/queue.js");
// Every page has modules of its own, with all that they import from static/js: nothing is left from the test before.
import * as hooks from "node:module";
import { Window } from "happy-dom";

const SCRIPTS = new URL("../../static/js/", import.meta.url).href;

// An import made by a module "…?page=3" is of page 3 as well.
const OWN_MODULES = `
  const own = (found, parent) => {
    const query = parent?.startsWith("${SCRIPTS}") ? new URL(parent).search : "";
    return query && found.url.startsWith("${SCRIPTS}") && !found.url.includes("?") ? { ...found, url: found.url + query } : found;
  };`;
if (hooks.registerHooks) {
  const own = new Function(`${OWN_MODULES} return own;`)();
  hooks.registerHooks({ resolve: (name, context, next) => own(next(name, context), context.parentURL) });
} else {
  const hook = `${OWN_MODULES} export const resolve = async (name, context, next) => own(await next(name, context), context.parentURL);`;
  hooks.register(`data:text/javascript,${encodeURIComponent(hook)}`);
}

const COPIED = [
  "document", "location", "history", "navigator", "sessionStorage", "localStorage", "Node", "Element", "Document", "DocumentFragment", "ShadowRoot", "XMLHttpRequest", "Text", "Event",
  "CustomEvent", "KeyboardEvent", "MouseEvent", "CSS", "CSSStyleSheet", "MutationObserver", "NodeFilter", "Range", "File", "Blob", "DOMParser", "getComputedStyle",
];

// Timers of a page: they come due when a test lets time pass.
export class Clock {
  constructor(now = Date.UTC(2026, 0, 2, 3, 4, 5)) { this.start = this.now = now; this.timers = new Map(); this.number = 0; }

  set(call, delay = 0, every = null, values = []) {
    this.timers.set((this.number += 1), { call, at: this.now + Math.max(0, Number(delay) || 0), every, values });
    return this.number;
  }

  clear(id) { this.timers.delete(id); }

  // Up to `until`, one after the other, with all that their promises lead to.
  async run(until) {
    for (;;) {
      const due = [...this.timers].filter(([, { at }]) => at <= until).sort(([a, one], [b, other]) => one.at - other.at || a - b)[0];
      if (!due) break;
      const [id, timer] = due;
      this.now = Math.max(this.now, timer.at);
      if (timer.every === null) this.timers.delete(id); else timer.at = this.now + Math.max(1, timer.every);
      timer.call(...timer.values);
      await settled();
    }
    this.now = Math.max(this.now, until);
  }
}

let clock = new Clock();
const immediate = setImmediate;
const RealDate = Date;
export const now = () => clock.now;

// All that is under way without a timer has happened.
export async function settled() { for (let turn = 0; turn < 4; turn += 1) await new Promise((done) => { immediate(done); }); }

export async function pass(milliseconds) {
  await settled();
  await clock.run(clock.now + milliseconds);
  await settled();
}

// Work that takes so long: time passes, and no timer comes due meanwhile.
export function busy(milliseconds) { clock.now += milliseconds; }
export const FRAME = 16; // milliseconds from one to the next

let count = 0;
let windows = [];

// `answer(url, options)`: what fetch gives: {status, text, headers}, a function of neither, or a promise of one.
export async function page(html, ...names) { return pageOf({ html }, ...names); }

export async function pageOf({ html = "", head = "", url = "http://console.test/", answer = () => ({ status: 404 }), root = "" , before = () => {} }, ...names) {
  await settled();
  for (const old of windows.splice(0)) await old.happyDOM.close();
  clock = new Clock();
  const window = new Window({ url, width: 1400, height: 1000, settings: { disableCSSFileLoading: true, disableJavaScriptFileLoading: true } });
  windows = [window];
  const { document } = window;
  if (root) for (const [name, value] of Object.entries(root)) document.documentElement.setAttribute(name, value);
  document.head.innerHTML = head;
  document.body.innerHTML = html;
  const requests = [];
  const give = {
    window,
    fetch: async (address, options = {}) => {
      const request = { url: new URL(address, url).href, method: "GET", ...options };
      requests.push(request);
      const found = await answer(request);
      return found?.getReader || found instanceof Response ? found : response(found, request);
    },
    setTimeout: (call, delay, ...values) => clock.set(call, delay, null, values),
    setInterval: (call, delay, ...values) => clock.set(call, delay, delay, values),
    clearTimeout: (id) => clock.clear(id),
    clearInterval: (id) => clock.clear(id),
    requestAnimationFrame: (call) => clock.set(() => call(performance.now()), FRAME),
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
    dispatchEvent: window.dispatchEvent.bind(window),
    getSelection: () => document.getSelection(),
    matchMedia: (query) => ({ matches: false, media: query, addEventListener() {} }),
    innerWidth: 1400,
    innerHeight: 1000,
    IntersectionObserver: class { constructor(call) { this.call = call; give.observers.push(this); this.seen = new Set(); } observe(node) { this.seen.add(node); } unobserve(node) { this.seen.delete(node); } },
    ResizeObserver: class { observe() {} unobserve() {} },
    FormData: formDataOf(window),
    Date: dateOf(),
    observers: [],
    SharedWorker: undefined,
    htmx: undefined,
  };
  for (const name of [...COPIED, ...Object.getOwnPropertyNames(window).filter((one) => /^HTML\w*Element$/.test(one))]) give[name] = window[name];
  for (const [name, value] of Object.entries(give)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  performance.now = () => clock.now - clock.start;
  AbortSignal.timeout = (delay) => { const controller = new AbortController(); clock.set(() => controller.abort(), delay); return controller.signal; };
  repair(window);
  before({ window, document });
  count += 1;
  const modules = [];
  for (const name of names) modules.push(await import(`${SCRIPTS}${name}?page=${count}`));
  await settled();
  return {
    window, document, requests, module: modules.at(-1), modules,
    $: (selector) => document.querySelector(selector),
    $$: (selector) => [...document.querySelectorAll(selector)],
    observers: give.observers,
  };
}

function response({ status = 200, text = "", json, headers = {}, redirected = false, url } = {}, request) {
  const made = new Response([204, 304].includes(status) ? null : json === undefined ? text : JSON.stringify(json), { status, headers });
  Object.defineProperty(made, "url", { value: url ?? request.url });
  Object.defineProperty(made, "redirected", { value: redirected });
  return made;
}

const dateOf = () => class extends RealDate {
  constructor(...values) { if (values.length) super(...values); else super(clock.now); }

  static now() { return clock.now; }
};

// https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#constructing-form-data-set: step 6, which happy-dom leaves out.
const formDataOf = (window) => class extends window.FormData {
  constructor(form, submitter) {
    super(form, submitter);
    if (form) form.dispatchEvent(Object.assign(new window.Event("formdata", { bubbles: true }), { formData: this }));
  }
};

// What happy-dom 21 has not, or not as browsers have it.
function repair(window) {
  const { HTMLOptionElement, HTMLInputElement, Element, HTMLElement } = window;
  Object.defineProperty(HTMLOptionElement.prototype, "defaultSelected", {
    get() { return this.hasAttribute("selected"); },
    set(value) { this.toggleAttribute("selected", value); },
    configurable: true,
  });
  Object.defineProperty(HTMLElement.prototype, "isContentEditable", { get() { return Boolean(this.closest("[contenteditable]")); }, configurable: true });
  // What a browser can't read as a number has no value, and is this; happy-dom thinks so of 1e-3.
  Object.defineProperty(HTMLInputElement.prototype, "validity", { get() { return { badInput: this.hasAttribute("data-unreadable") }; }, configurable: true });
  // A test opens a popover by this attribute.
  const { querySelector, matches } = Element.prototype;
  const known = (selector) => selector.replaceAll(":popover-open", "[data-popover-open]");
  Element.prototype.querySelector = function find(selector) { return querySelector.call(this, known(selector)); };
  Element.prototype.matches = function fits(selector) { return matches.call(this, known(selector)); };
  Element.prototype.getClientRects = function rects() { return this.closest("[hidden]") ? [] : [{}]; };
  Element.prototype.checkVisibility = function visible() { return !this.closest("[hidden], [data-unmatched]"); };
  Element.prototype.getAnimations = () => [{}];
  Element.prototype.scrollIntoView ??= () => {};
}

// What a person does.
export const click = (node, more = {}) => node.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ...more }));
export const press = (node, key, more = {}) => {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  node.dispatchEvent(event);
  return event;
};
export function type(control, text) {
  control.value = text;
  control.dispatchEvent(new Event("input", { bubbles: true }));
}
export function choose(control, value) {
  if (["checkbox", "radio"].includes(control.type)) control.checked = value; else control.value = value;
  control.dispatchEvent(new Event("input", { bubbles: true }));
  control.dispatchEvent(new Event("change", { bubbles: true }));
}
export function emit(target, name, detail) {
  const event = new CustomEvent(name, { bubbles: true, cancelable: true, detail });
  target.dispatchEvent(event);
  return event;
}
export function hide(document, hidden) {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}
