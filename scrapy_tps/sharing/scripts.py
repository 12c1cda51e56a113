"""The scripts (Lua) that Redis runs, all or nothing, each with its keys and arguments."""

from __future__ import annotations

from typing import Final

#: What the fields of a part's hash begin with that hold the figures of a site …
SITE: Final = "site:"
#: … and those that hold the queries of a site. The rest are the scripts' own: the last flush of each process.
QUERIES: Final = "queries:"

#: Adds figures to those of a part, once.
#:
#: Key: the part's figures. Arguments: process; number of this flush; number of the flush of this process before it in
#: this part; seconds to live; figures as JSON, counts by name by site; queries that are told apart on a site.
#:
#: Returns the number of the process's last flush that the part knows: this flush's or a later one, if the figures are
#: in, now or since an earlier try; one below that of the flush before, if the server has lost some. Nothing is added
#: then.
#:
#: Both are in one hash, so that a server that loses something (restarted, failed over, out of memory) loses both.
#: Numbers of 15 digits and more are written as strings, as JSON in Lua keeps 14 digits. Of the ten numbers of a query
#: seven add up, the eighth counts the pages since the query found something, the ninth is the time of that, and the
#: bits of the tenth are united.
ADD_FIGURES: Final = """
local known = tonumber(redis.call('HGET', KEYS[1], 'flush:' .. ARGV[1])) or 0
local number = tonumber(ARGV[2])
if known < tonumber(ARGV[3]) or known >= number then
  return known
end

local function kept(field)
  local text = redis.call('HGET', KEYS[1], field)
  if text then
    local read, found = pcall(cjson.decode, text)
    if read and type(found) == 'table' then
      return found
    end
  end
  return {}
end

local function add(one, other)
  local value = (tonumber(one) or 0) + other
  if value >= 1e14 then
    return string.format('%.0f', value)
  end
  return value
end

local function unite(one, other)
  local half = 2 ^ 23
  local high = bit.bor(math.floor(one / half), math.floor(other / half))
  return high * half + bit.bor(one % half, other % half)
end

local function add_queries(field, queries)
  local sum = kept(field)
  local room = tonumber(ARGV[6])
  for _ in pairs(sum) do
    room = room - 1
  end
  for name, counts in pairs(queries) do
    if not sum[name] then
      if room > 0 then
        room = room - 1
      else
        name = '\\t\\t(other queries)'
      end
    end
    local old = sum[name]
    if type(old) == 'table' and #old == 10 then
      for i = 1, 7 do
        counts[i] = add(old[i], counts[i])
      end
      if tonumber(counts[7]) == (tonumber(old[7]) or 0) then
        counts[8] = add(old[8], counts[8])
      end
      counts[9] = math.max(tonumber(old[9]) or 0, counts[9])
      counts[10] = unite(tonumber(old[10]) or 0, counts[10])
    end
    sum[name] = counts
  end
  redis.call('HSET', KEYS[1], field, cjson.encode(sum))
end

for site, counts in pairs(cjson.decode(ARGV[5])) do
  if counts.queries then
    add_queries('queries:' .. site, counts.queries)
    counts.queries = nil
  end
  local sum = kept('site:' .. site)
  for name, count in pairs(counts) do
    sum[name] = add(sum[name], count)
  end
  redis.call('HSET', KEYS[1], 'site:' .. site, cjson.encode(sum))
end
redis.call('HSET', KEYS[1], 'flush:' .. ARGV[1], number)
redis.call('EXPIRE', KEYS[1], ARGV[4])
return number
"""

#: Enters a job into the set of all jobs, and forgets those that have expired.
#:
#: Key: the set. Arguments: job; seconds to live. By the server's clock: that of a process may be wrong by months.
REGISTER: Final = """
local now = redis.call('TIME')[1]
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. now)
local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
redis.call('EXPIREAT', KEYS[1], last[2])
return 1
"""

#: Exchanges rows on topics (a site and a kind): takes those that a process tells, and returns those that it has not
#: seen.
#:
#: Keys: the rows, and their order, of each topic. Arguments: seconds to live; then for each topic the number of the
#: last change that the process has seen, most rows to keep, number of rows told, and of each of these key, epoch,
#: version and blob.
#:
#: Of two rows with one key that of the later epoch stays, then of the later version, then the one with the larger
#: bytes; of all rows those of the last epochs, and among them those with the smallest keys. So it does not matter in
#: which order rows come, or how often. Returns for each topic the number of the last change, then key and value
#: (``EPOCH VERSION newline BLOB``) of each row that came after the change seen; all rows where that is one the server
#: has lost; and the text of the error where the topic can't be used, which does not stop the others.
EXCHANGE_ROWS: Final = """
-- byte by byte: comparing strings goes by the server's locale
local function larger(one, other)
  for i = 1, math.min(#one, #other) do
    local a, b = string.byte(one, i), string.byte(other, i)
    if a ~= b then
      return a > b
    end
  end
  return #one > #other
end

local function stays(old, epoch, version, blob)
  local _, stop, before, number = string.find(old, '^%d+ (%d+) (%d+)\\n')
  before, number = tonumber(before), tonumber(number)
  if epoch ~= before then
    return epoch < before
  end
  if version ~= number then
    return version < number
  end
  return not larger(blob, string.sub(old, stop + 1))
end

local function exchange(rows, order, first, last)
  local change = tonumber(redis.call('HGET', rows, 'change')) or 0
  local seen = tonumber(ARGV[first])
  local answer = {0}

  if change ~= seen then
    local all = redis.call('HGETALL', rows)
    for i = 1, #all, 2 do
      if all[i] ~= 'change' then
        local space = string.find(all[i + 1], ' ', 1, true)
        if seen > change or tonumber(string.sub(all[i + 1], 1, space - 1)) > seen then
          answer[#answer + 1] = string.sub(all[i], 2)
          answer[#answer + 1] = string.sub(all[i + 1], space + 1)
        end
      end
    end
  end

  local changed = false
  for i = first + 3, last, 4 do
    local field, epoch, version, blob = 'k' .. ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2]), ARGV[i + 3]
    local old = redis.call('HGET', rows, field)
    if not (old and stays(old, epoch, version, blob)) then
      changed = true
      redis.call('HSET', rows, field, (change + 1) .. ' ' .. epoch .. ' ' .. version .. '\\n' .. blob)
      redis.call('ZADD', order, -epoch, ARGV[i])
    end
  end
  if changed then
    change = change + 1
    redis.call('HSET', rows, 'change', change)
    for _, key in ipairs(redis.call('ZRANGE', order, ARGV[first + 1], -1)) do
      redis.call('HDEL', rows, 'k' .. key)
      redis.call('ZREM', order, key)
    end
  end
  if change > 0 then
    redis.call('EXPIRE', rows, ARGV[1])
    redis.call('EXPIRE', order, ARGV[1])
  end
  answer[1] = change
  return answer
end

local answers = {}
local first = 2
for topic = 1, #KEYS, 2 do
  local last = first + 2 + 4 * tonumber(ARGV[first + 2])
  local done, answer = pcall(exchange, KEYS[topic], KEYS[topic + 1], first, last)
  if not done then
    answer = type(answer) == 'table' and answer.err or tostring(answer)
  end
  answers[#answers + 1] = answer
  first = last + 1
end
return answers
"""

#: Says of records whether another page has shown them, and remembers those that are new.
#:
#: Keys: what was met lately, and before. Arguments: seconds to live; fields that the first may hold, before it takes
#: the place of the second; then of each record its field and the hash of its page.
#:
#: Returns a number for each record: 0 new, or seen on the same page; 1 duplicate. Asked twice, it says the same.
SEE_RECORDS: Final = """
local function recall(field)
  local value = redis.call('HGET', KEYS[1], field)
  if not value then
    value = redis.call('HGET', KEYS[2], field)
    if value then
      redis.call('HSET', KEYS[1], field, value)
    end
  end
  return value
end

local answers = {}
for i = 3, #ARGV, 2 do
  local first = recall(ARGV[i])
  if first and first ~= ARGV[i + 1] then
    answers[#answers + 1] = 1
  else
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    answers[#answers + 1] = 0
  end
  if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[2]) then
    redis.call('RENAME', KEYS[1], KEYS[2])
  end
end
redis.call('EXPIRE', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[1])
return answers
"""
