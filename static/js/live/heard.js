// The highest resourceVersion that was heard of each topic: who fetches again says it, and gets nothing older.
import { base } from "./union.js";
import { newest } from "./versions.js";
import { words } from "./subscription.js";

const MOST = 200;
const versions = new Map(); // topic without columns → version

export function hearVersion(topic, version) {
  const known = versions.get(base(topic));
  versions.delete(base(topic));
  versions.set(base(topic), newest(known, version));
  if (versions.size > MOST) versions.delete(versions.keys().next().value);
}
// A list that has to be read again has to be so new: lower than what was heard before, where the cluster was set back.
export const resetVersion = (topic, version) => versions.set(base(topic), version);
export const forgetVersion = (topic) => versions.delete(base(topic));
export const noticed = (topic) => versions.get(base(topic)) ?? "";
export const topicsOf = (element) => words(element.dataset.liveRows || element.dataset.live);
