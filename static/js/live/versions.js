// Never backwards: which version of each object was shown last, and which objects are gone. Answers and events overtake each other; what is
// older than what was shown is not laid over it. resourceVersions are whole numbers of any length (KEP-5504); others are in the order of arrival.

const KEEP = 60000; // answers that were made before are under way no longer than this
const MOST = 4000;
const GIVEN_IN = 30000; // lists that say so for longer are right: the cluster was set back
const seen = new Map(); // uid → {version, gone, at}, the longest untouched first
const refused = new Map(); // uid → when an answer was first too old for it

const digits = (version) => /^\d+$/.test(version ?? "") && version.replace(/^0+(?=\d)/, "");

export function older(a, b) {
  const [one, other] = [digits(a), digits(b)];
  if (!one || !other) return false;
  return one.length === other.length ? one < other : one.length < other.length;
}
export const newest = (a, b) => (!a || older(a, b) ? b ?? "" : a);

function prune(now) {
  for (const [uid, { at }] of seen) {
    if (now - at < KEEP && seen.size <= MOST) break;
    seen.delete(uid);
  }
  for (const [uid, at] of refused) if (now - at > 2 * GIVEN_IN) refused.delete(uid);
}

// `version` of `uid` is on the screen now, or, with `gone`, was its last.
export function note(uid, version, gone = false) {
  const known = seen.get(uid);
  const now = performance.now();
  seen.delete(uid);
  seen.set(uid, { version: newest(known?.version, version), gone: gone || (Boolean(known?.gone) && !older(known.version, version)), at: now });
  prune(now);
}

// Whether `version` would go backwards; `shown`: the version that the page shows, if it does.
export function stale(uid, version, shown = "") {
  const known = seen.get(uid);
  return older(version, shown) || older(version, known?.version) || Boolean(known?.gone && !older(known.version, version));
}

// The same for what a list says, which is right in the end.
export function staleInList(uid, version, shown) {
  if (!stale(uid, version, shown)) { refused.delete(uid); return false; }
  const now = performance.now();
  const since = refused.get(uid) ?? now;
  if (now - since > GIVEN_IN) { refused.delete(uid); seen.delete(uid); return false; }
  refused.set(uid, since);
  return true;
}
