"""What has to happen in Redis as one step, in Lua (Redis 6.2 and later, valkey; every script's first write is one that
a full Redis refuses, so that it happens whole or not at all).

Of a topic there is a stream, and a hash beside it: `hub` who owns it, `version` up to which the stream is complete and
`at` when that was written (seconds on Redis' clock), `number` and `last` (id) of the newest entry, `bytes` ever written
and `from` how many of them came before what is kept, `trouble` why it is paused. Of an entry the first three fields are
Redis' own: `i` its number, `p` the id before it, `o` the bytes before it.
"""

# KEYS: stream, hash, columns. ARGV: hub, version, columns or '', trouble or '-', entries to keep, bytes to keep,
# seconds to keep stream and hash, seconds to keep columns, and for each change the count of its strings and the
# strings. Answers the owner: another than `hub` when refused.
APPEND = """
local state = redis.call('HMGET', KEYS[2], 'hub', 'number', 'last', 'bytes', 'from')
local hub = ARGV[1]
if hub ~= '' and state[1] ~= hub then return {0, state[1] or ''} end
local number, last = tonumber(state[2] or 0), state[3] or ''
local bytes, from = tonumber(state[4] or 0), tonumber(state[5] or 0)
if ARGV[3] ~= '' then redis.call('SET', KEYS[3], ARGV[3], 'EX', ARGV[8]) end
local i, appended = 9, false
while ARGV[i] do
  local count, before = tonumber(ARGV[i]), bytes
  for j = i + 1, i + count do bytes = bytes + #ARGV[j] end
  number = number + 1
  last = redis.call('XADD', KEYS[1], '*', 'i', number, 'p', last, 'o', string.format('%.0f', before),
    unpack(ARGV, i + 1, i + count))
  i, appended = i + count + 1, true
end
if appended then
  redis.call('HSET', KEYS[2], 'number', number, 'last', last, 'bytes', string.format('%.0f', bytes))
  redis.call('XTRIM', KEYS[1], 'MAXLEN', '~', ARGV[5])
  local limit = tonumber(ARGV[6])
  while bytes - from > limit do
    from = tonumber(redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1][2][6])
    local length = redis.call('XLEN', KEYS[1])
    if bytes - from <= limit or length < 2 then break end
    redis.call('XTRIM', KEYS[1], 'MAXLEN', math.floor(length * 3 / 4))
  end
  redis.call('HSET', KEYS[2], 'from', string.format('%.0f', from))
  redis.call('EXPIRE', KEYS[1], ARGV[7])
end
if ARGV[2] ~= '' then redis.call('HSET', KEYS[2], 'version', ARGV[2], 'at', redis.call('TIME')[1]) end
if ARGV[4] == '' then redis.call('HDEL', KEYS[2], 'trouble')
elseif ARGV[4] ~= '-' then redis.call('HSET', KEYS[2], 'trouble', ARGV[4]) end
redis.call('EXPIRE', KEYS[2], ARGV[7])
return {1, last}
"""

# KEYS: hash. ARGV: hub, seconds for which a version is good, seconds to keep the hash. Answers the version or ''.
CLAIM = """
local state = redis.call('HMGET', KEYS[1], 'version', 'at')
redis.call('HSET', KEYS[1], 'hub', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
if state[1] and state[2] and redis.call('TIME')[1] - state[2] <= tonumber(ARGV[2]) then return state[1] end
return ''
"""

# KEYS: hashes. ARGV: hub, seconds to keep a hash, a version or '' for each. Answers the places (from 1) of those that
# belong to another.
RENEW = """
local now, lost = redis.call('TIME')[1], {}
for i, key in ipairs(KEYS) do
  if redis.call('HGET', key, 'hub') ~= ARGV[1] then lost[#lost + 1] = i
  else
    if ARGV[i + 2] ~= '' then redis.call('HSET', key, 'version', ARGV[i + 2], 'at', now) end
    redis.call('EXPIRE', key, ARGV[2])
  end
end
return lost
"""

# KEYS: hashes. ARGV: hub.
RELEASE = """
for _, key in ipairs(KEYS) do
  if redis.call('HGET', key, 'hub') == ARGV[1] then redis.call('HDEL', key, 'hub', 'trouble') end
end
"""
