"""The format of figures in Redis: JSON, and the scripts (Lua) that Redis runs atomically."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from scrapy_tps.stats.coverage import UseFigures, UseKey
from scrapy_tps.stats.figures import SiteFigures

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Prefix of the fields of a hash that hold the figures of a site. The others belong to the scripts: the last flush of
#: each process.
SITE: Final = "site:"

#: Adds figures to those of a distributed crawl, once.
#:
#: Key: its figures. Arguments: process; number of this flush; number of the flush of this process before it;
#: figures as JSON, of each site its counts by name and the numbers of its uses: selectors and fields; uses
#: that are told apart on a site; names of one group (``alarms/…``) that are.
#:
#: Returns the number of the process's last flush that the server knows: this flush's or a later one, if the figures are
#: in, now or since an earlier try; one below that of the flush before, if the server has lost some. Nothing is added
#: then.
#:
#: Both are in one hash, so that a server that loses something (restarted, failed over, out of memory) loses both.
#: JSON in Lua keeps 14 digits of a number. Of the twelve numbers of a use nine add up, the tenth counts the pages since
#: it found something, the eleventh is the time of that, and the bits of the twelfth are united.
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
    if read and type(found) == 'table' and type(found[1]) == 'table' and type(found[2]) == 'table' then
      return found
    end
  end
  return {{}, {}}
end

local function size(sum)
  local names = 0
  for _ in pairs(sum) do
    names = names + 1
  end
  return names
end

local function unite(one, other)
  local half = 2 ^ 23
  local high = bit.bor(math.floor(one / half), math.floor(other / half))
  return high * half + bit.bor(one % half, other % half)
end

local function add_uses(sum, uses)
  local room = tonumber(ARGV[5]) - size(sum)
  for name, counts in pairs(uses) do
    if not sum[name] then
      if room > 0 then
        room = room - 1
      else
        name = '\\t\\t(other selectors)'
      end
    end
    local old = sum[name]
    if old then
      for i = 1, 9 do
        counts[i] = old[i] + counts[i]
      end
      if counts[7] == old[7] then
        counts[10] = old[10] + counts[10]
      end
      counts[11] = math.max(old[11], counts[11])
      counts[12] = unite(old[12], counts[12])
    end
    sum[name] = counts
  end
end

local function group_of(name)
  return string.match(name, '^[^/]*/') or ''
end

local function bounded(sum, name)
  local group, room = group_of(name), tonumber(ARGV[6])
  for other in pairs(sum) do
    if group_of(other) == group then
      room = room - 1
    end
  end
  return room > 0 and name or group .. 'other'
end

for site, sent in pairs(cjson.decode(ARGV[4])) do
  local sums = kept('site:' .. site)
  local sum = sums[1]
  local full = size(sum) + size(sent[1]) > tonumber(ARGV[6])
  for name, count in pairs(sent[1]) do
    if full and not sum[name] then
      name = bounded(sum, name)
    end
    sum[name] = (sum[name] or 0) + count
  end
  add_uses(sums[2], sent[2])
  redis.call('HSET', KEYS[1], 'site:' .. site, cjson.encode(sums))
end
redis.call('HSET', KEYS[1], 'flush:' .. ARGV[1], number)
return number
"""

#: Tells whether records were on another page before, and remembers new ones.
#:
#: Keys: what was met lately, and before. Arguments: seconds to live; fields that the first may hold, before it takes
#: the place of the second; then of each record its field and the hash of its page.
#: Returns a number for each record: 0 if new, or seen on the same page; 1 for a duplicate. A repeated call returns the
#: same.
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


def figures_json(sites: Mapping[str, SiteFigures]) -> str:
    """Return the figures of sites for :data:`~scrapy_tps.sharing.scripts.ADD_FIGURES`."""
    sent = {
        site: [figures, {"\t".join(key): one.numbers for key, one in figures.uses.items()}]
        for site, figures in sites.items()
    }
    return json.dumps(sent, separators=(",", ":"))


def figures_from_json(text: str) -> SiteFigures:
    """Return the figures of one site from the server; raise ``ValueError`` or ``TypeError`` if they can't be read."""
    counts, uses = json.loads(text)
    figures = SiteFigures((name, int(number)) for name, number in counts.items() if number)
    for name, numbers in uses.items():
        figures.uses[UseKey(*name.split("\t", 2))] = UseFigures(*map(int, numbers))
    return figures
