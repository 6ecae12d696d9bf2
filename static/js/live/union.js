// What tabs subscribe to, and what of all that comes is whose. A subscription as a tab says it:
//   {rows: [{topic, uids: […], moves}], notices: [{topic, names: […]}], language}   without uids: every row; without names: news of any object; moves: any change matters
// and as it is kept: {rows: Map(topic → {uids: Set | null, moves}), notices: Map(topic → Set | null)}

const MOST_UIDS = 5000; // rows and names that the server takes for one connection
// News of a topic that are for lists only, and those that are for regions only, come under two names where both are wanted: "topic?" (the columns that
// everybody gets) and "topic". `part` of a message says which it is, if it is one of them.
const rowsName = (topic, notices) => (notices.has(topic) ? `${topic}?` : topic);
export function placed(data, open) {
  if (!data.topic || !open.notices.has(data.topic.replace(/\?$/, ""))) return data;
  if (data.topic.endsWith("?")) return { ...data, topic: data.topic.slice(0, -1), part: "rows" };
  return open.rows.has(data.topic) ? { ...data, part: "notices" } : data;
}

export const base = (topic) => topic.split("?", 1)[0];
const both = (a, b) => a && b && new Set([...a, ...b]);
const within = (some, all) => !all || Boolean(some && [...some].every((one) => all.has(one)));

export function parse({ rows, notices, language }) {
  const all = unite([
    ...rows.map(({ topic, uids, moves }) => ({ rows: new Map([[topic, { uids: uids ? new Set(uids) : null, moves: Boolean(moves) }]]), notices: new Map() })),
    ...notices.map(({ topic, names }) => ({ rows: new Map(), notices: new Map([[topic, names ? new Set(names) : null]]) })),
  ]);
  return { ...all, language };
}

export function unite(subscriptions) {
  const all = { rows: new Map(), notices: new Map(), language: "" };
  for (const { rows, notices, language } of subscriptions) {
    all.language = language || all.language; // the last one's: rows are drawn in one
    for (const [topic, { uids, moves }] of rows) {
      const known = all.rows.get(topic);
      all.rows.set(topic, known ? { uids: both(known.uids, uids), moves: known.moves || moves } : { uids, moves });
    }
    for (const [topic, names] of notices) all.notices.set(topic, all.notices.has(topic) ? both(all.notices.get(topic), names) : names);
  }
  return all;
}

// Whether a connection that was opened for `open` brings all that `subscription` asks for.
export function covers(open, subscription) {
  if (subscription.language && open.language !== subscription.language) return false;
  for (const [topic, { uids, moves }] of subscription.rows) {
    const known = open.rows.get(topic);
    if (!known || !within(uids, known.uids) || (moves && !known.moves)) return false;
  }
  for (const [topic, names] of subscription.notices) if (!open.notices.has(topic) || !within(names, open.notices.get(topic))) return false;
  return true;
}

export function body({ rows, notices, language }, since) {
  let room = MOST_UIDS - [...notices.values()].reduce((sum, names) => sum + (names?.size ?? 0), 0);
  const part = (uids) => { const taken = [...uids].slice(0, Math.max(0, room)); room -= taken.length; return taken; };
  return JSON.stringify({
    ...(since && { since }),
    ...(language && { language }),
    // Of rows beyond the bound only the news are told, and the list is fetched again.
    rows: [...rows].map(([topic, { uids, moves }]) => ({ topic: rowsName(topic, notices), ...(uids && { uids: part(uids) }), moves: moves || Boolean(uids && room <= 0) })),
    notices: [...notices].map(([topic, names]) => ({ topic, ...(names && { names: [...names] }) })),
  });
}

// The same for a console that does not know subscriptions yet: everything about the topics.
export function query({ rows, notices }, since) {
  const news = [...notices.keys()].filter((topic) => !rows.has(topic));
  const pairs = [...[...rows.keys()].map((topic) => ["topic", topic]), ...news.map((topic) => ["notice", topic])];
  return new URLSearchParams(since ? [...pairs, ["since", since]] : pairs);
}

// What of `messages` a tab with this subscription is told; what only says that something changed is one message for each topic.
export function forClient(messages, subscription) {
  const found = [];
  const changed = new Map(); // topic → what stands in found
  for (const message of messages) {
    const own = of(message, subscription);
    if (own?.event !== "changed" || own === message) { if (own) found.push(own); continue; }
    const known = changed.get(own.data.topic);
    if (!known) { changed.set(own.data.topic, own); found.push(own); continue; }
    known.data.names.push(...own.data.names);
    known.data.quiet &&= own.data.quiet;
    known.data.version = own.data.version;
  }
  return found;
}

function of(message, subscription) {
  const { event, data } = message;
  if (!data?.topic) return message;
  const { topic, uid, name, namespace, version, part } = data;
  const list = part !== "notices" && subscription.rows.get(topic);
  const noted = part !== "rows" && subscription.notices.has(topic);
  const names = subscription.notices.get(topic);
  if (["paused", "resumed", "refused"].includes(event)) return subscription.notices.has(topic) || [...subscription.rows.keys()].some((one) => base(one) === base(topic)) ? message : null;
  if (event === "resync") return list || noted ? message : null;
  if (event === "changed") return list || (noted && (!names || !data.names || data.names.some(([, one]) => names.has(one)))) ? message : null;
  if (list && (!list.uids || list.uids.has(uid))) return message;
  const listed = list && (event !== "row" || list.moves);
  if (!listed && !(noted && (!names || names.has(name)))) return null;
  // quiet: nothing has come or gone.
  return { event: "changed", id: message.id, data: { topic, part, version, names: [[namespace, name]], quiet: event === "row" } };
}
