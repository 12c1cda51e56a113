"""What Redis does by itself, all or nothing: the scripts (Lua), each with the keys and arguments it takes."""

from __future__ import annotations

from typing import Final

#: What the fields of a part's hash begin with that hold the figures of a site …
SITE: Final = "site:"
#: … and those that hold the number of the last flush of a process.
FLUSH: Final = "flush:"

#: Adds figures to those of a part, once.
#:
#: Key: the part's figures. Arguments: process; number of this flush; number of the flush of this process before it in
#: this part; seconds to live; figures as JSON, counts by name by site.
#:
#: Returns the number of the process's last flush that the part knows: this flush's or a later one, if the figures are
#: in, now or since an earlier try; one below that of the flush before, if the server has lost some. Nothing is added
#: then.
#:
#: Both are in one hash, so that a server that loses something (restarted, failed over, out of memory) loses both.
#: Numbers of 15 digits and more are written as strings, as JSON in Lua keeps 14 digits.
ADD_FIGURES: Final = """
local known = tonumber(redis.call('HGET', KEYS[1], 'flush:' .. ARGV[1])) or 0
local number = tonumber(ARGV[2])
if known < tonumber(ARGV[3]) or known >= number then
  return known
end
for site, counts in pairs(cjson.decode(ARGV[5])) do
  local field = 'site:' .. site
  local sum = {}
  local before = redis.call('HGET', KEYS[1], field)
  if before then
    local read, found = pcall(cjson.decode, before)
    if read and type(found) == 'table' then
      sum = found
    end
  end
  for name, count in pairs(counts) do
    local value = (tonumber(sum[name]) or 0) + count
    if value >= 1e14 then
      value = string.format('%.0f', value)
    end
    sum[name] = value
  end
  redis.call('HSET', KEYS[1], field, cjson.encode(sum))
end
redis.call('HSET', KEYS[1], 'flush:' .. ARGV[1], number)
redis.call('EXPIRE', KEYS[1], ARGV[4])
return number
"""

#: Enters a job into the set of all jobs, and forgets those that have expired.
#:
#: Key: the set. Arguments: job; the time at which it expires, and the present one, in seconds since 1970.
REGISTER: Final = """
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[3])
local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
redis.call('EXPIREAT', KEYS[1], last[2])
return 1
"""
