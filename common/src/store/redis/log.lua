-- The log of a bucket: a list of entries, and a hash with `end`, the position of its last, `dropped`, that of the last one that
-- is gone, and `bytes`, what it holds. log.rs says what an entry is.

-- As `MOST_BYTES` in log.rs.
local MOST_BYTES = 1048576

-- `entry` as `entry` in log.rs writes it; KEYS: log, its places.
local function append(log, places, entry, flips)
  entry = entry .. table.concat(flips)
  redis.call('RPUSH', log, entry)
  redis.call('HINCRBY', places, 'end', 1)
  local bytes = redis.call('HINCRBY', places, 'bytes', #entry)
  while bytes > MOST_BYTES and redis.call('LLEN', log) > 1 do
    bytes = redis.call('HINCRBY', places, 'bytes', -#redis.call('LPOP', log))
    redis.call('HINCRBY', places, 'dropped', 1)
  end
end

-- Gives the entries of a site another note, but those that say that it was forgotten. `stripped` in log.rs does the same.
local function strip(log, places, site, note)
  local mine = site .. '\n'
  for n, entry in ipairs(redis.call('LRANGE', log, 0, -1)) do
    if string.sub(entry, 1, #mine) == mine then
      local length, behind = string.match(entry, '^(%d+)\n()', #mine + 1)
      if length and tonumber(length) > 0 then
        local stripped = mine .. #note .. '\n' .. note .. string.sub(entry, behind + length)
        redis.call('LSET', log, n - 1, stripped)
        redis.call('HINCRBY', places, 'bytes', #stripped - #entry)
      end
    end
  end
end

-- KEYS: log, its places; ARGV: position, the most entries. Reply: dropped, end, entries behind the position; the first one is
-- that behind the larger of position and dropped.
local function read_log(keys, args)
  local places = redis.call('HMGET', keys[2], 'dropped', 'end')
  local dropped, last = tonumber(places[1] or 0), tonumber(places[2] or 0)
  local from = math.max(tonumber(args[1]) - dropped, 0)
  return { dropped, last, unpack(redis.call('LRANGE', keys[1], from, from + args[2] - 1)) }
end

-- KEYS as `apply`; ARGV: site, msgpack { homes }. Reply: end of the log, then the fields and values of the cells at these homes.
-- Or T, if tables of 0.1.0 are to be taken over first.
local function history(keys, args)
  if redis.call('EXISTS', unpack(first_keys(keys[7]))) > 0 then return { 'T' } end
  local held = sizes(keys[4], args[1])
  local reply = { redis.call('HGET', keys[9], 'end') or '0' }
  if not held then return reply end
  local groups = {}
  for _, home in ipairs(cmsgpack.unpack(args[2])) do
    local at = group(hashed(home), held[1])
    groups[at] = groups[at] or {}
    groups[at][home] = true
  end
  for at, homes in pairs(groups) do
    local cells = redis.call('HGETALL', keys[5] .. ':' .. at)
    for n = 1, #cells, 2 do
      if homes[cell_home(cells[n])] then
        reply[#reply + 1], reply[#reply + 2] = cells[n], cells[n + 1]
      end
    end
  end
  return reply
end

-- KEYS as `apply`; ARGV: site. Reply: end of the log, fields and values of all cells, and of all words.
local function snapshot(keys, args)
  local held, reply = sizes(keys[4], args[1]), { tonumber(redis.call('HGET', keys[9], 'end') or 0), {}, {} }
  for kind = 1, held and 2 or 0 do
    local all = reply[1 + kind]
    for at = 0, held[2 * kind - 1] - 1 do
      for _, part in ipairs(redis.call('HGETALL', keys[4 + kind] .. ':' .. at)) do all[#all + 1] = part end
    end
  end
  return reply
end

redis.register_function { function_name = 'nl2_log', callback = read_log, flags = { 'no-writes' } }
redis.register_function { function_name = 'nl2_history', callback = history, flags = { 'no-writes' } }
redis.register_function { function_name = 'nl2_snapshot', callback = snapshot, flags = { 'no-writes' } }
