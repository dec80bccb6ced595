-- Mined state: versions of pages, and the cells and words that they add up to.

-- Whether one fetch number is larger than another; as texts, so all 64 bits count.
local function newer(a, b)
  return #a > #b or (#a == #b and a > b)
end

-- The content of a page that was removed.
local NONE = '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'

-- A page's stored version: 16 bytes of content, the fetch number, a space, the day of the fetch. What is
-- given out and expected ends before the space.
local function version(stored)
  local fetch = string.match(stored, '^%d+', 17) or error('a page has a broken version')
  return string.sub(stored, 1, 16), fetch
end

-- Judges the changes in order. Returns the verdicts, how many count, and the pages' new versions.
local function judge(versions, changes)
  local urls, held, fresh, verdicts, counted = {}, {}, {}, {}, 0
  for n = 1, #changes, 6 do urls[#urls + 1] = changes[n] end
  for n, stored in ipairs(read(versions, urls)) do held[urls[n]] = stored end
  for n = 1, #changes, 6 do
    local url, expected, fetch, content, day, again = unpack(changes, n, n + 5)
    local is_newer, known = true, ''
    if held[url] then
      local old, number = version(held[url])
      known = old .. number
      is_newer = newer(fetch, number)
      if fetch == number and old ~= NONE then
        -- A removal, or the same fetch as other algorithms see it.
        is_newer = content == NONE or (again == '1' and content ~= old)
      end
    end
    local verdict
    if not is_newer then
      verdict = 'S'
    elseif known ~= expected then
      verdict = 'C' .. known
    else
      verdict, counted = 'A', counted + 1
      held[url] = content .. fetch .. ' ' .. day
      fresh[url] = held[url]
    end
    verdicts[#verdicts + 1] = verdict
  end
  return verdicts, counted, fresh
end

-- KEYS: versions, counters of the bucket's sites, counters of its forgotten sites, sizes of its sites, base of the
-- site's cells, base of its words, the site's tables of 0.1.0 with `*` for the letter, the bucket's log, its places.
-- ARGV: site, entry of the log without its flips, batch = msgpack { numbers of groups { cells, words }, cells, words, changes }: cells and words as `add_sums`
-- takes them, changes = { url, expected, fetch, content, day, again, the next change's … }. The sums are those of all changes
-- together, so either all of them count or nothing is written. Reply: 1 or 0 for that, then the verdicts. Or nothing is
-- done: G and the numbers of groups, if the caller's are old; T, if tables of 0.1.0 are to be taken over first.
-- Everything is read and judged before the first write, so an error leaves all as it was.
local function apply(keys, args)
  if redis.call('EXISTS', unpack(first_keys(keys[7]))) > 0 then return { 'T' } end
  local parts = cmsgpack.unpack(args[3])
  local held = sizes(keys[4], args[1])
  if not is_current(held, parts[1]) then return { 'G', held[1], held[3] } end
  local verdicts, counted, fresh = judge(keys[1], parts[4])
  local is_whole = counted == #verdicts
  table.insert(verdicts, 1, is_whole and '1' or '0')
  if not is_whole then return verdicts end
  local changed, flips = add_sums({ keys[4], keys[5], keys[6] }, args[1], held, parts)
  append(keys[8], keys[9], args[2], flips)
  local pages = {}
  for url, stored in pairs(fresh) do
    pages[#pages + 1] = url
    pages[#pages + 1] = stored
  end
  write('HSET', keys[1], pages)
  local before = redis.call('HGET', keys[3], args[1])
  if before then
    redis.call('HSET', keys[2], args[1], before)
    redis.call('HDEL', keys[3], args[1])
  end
  redis.call('HINCRBY', keys[2], args[1], changed)
  return verdicts
end

-- KEYS as `apply`; ARGV: site, entry of the log, letter of a table of 0.1.0, msgpack of { fields, values }, msgpack { numbers of groups, cells,
-- words } of the same counts as they are kept today. Takes the fields over if they still have these values. Reply: 1, or 0
-- if they have others, or G and the numbers of groups.
local function take(keys, args)
  local parts = cmsgpack.unpack(args[5])
  local held = sizes(keys[4], args[1])
  if not is_current(held, parts[1]) then return { 'G', held[1], held[3] } end
  local fields, values = unpack(cmsgpack.unpack(args[4]))
  local old = string.gsub(keys[7], '%*', args[3])
  for n, value in ipairs(read(old, fields)) do
    if value ~= values[n] then return { '0' } end
  end
  local _, flips = add_sums({ keys[4], keys[5], keys[6] }, args[1], held, parts)
  append(keys[8], keys[9], args[2], flips)
  write('HDEL', old, fields)
  redis.call('HINCRBY', keys[2], args[1], 1)
  return { '1' }
end

-- KEYS as `apply`; ARGV: site, entry of the log, note for the older entries. The counter is kept aside and goes on growing if the site comes again:
-- whoever remembers it must see that all has changed.
local function forget(keys, args)
  local counter = redis.call('HGET', keys[2], args[1])
  if counter then
    redis.call('HSET', keys[3], args[1], counter)
    redis.call('HDEL', keys[2], args[1])
  end
  local held, flips = sizes(keys[4], args[1]), {}
  for kind = 1, held and 2 or 0 do
    for n = 0, held[2 * kind - 1] - 1 do
      local key = keys[4 + kind] .. ':' .. n
      for _, field in ipairs(kind == 1 and redis.call('HKEYS', key) or {}) do
        if is_watched(field) then flips[#flips + 1] = '-' .. string.sub(field, 2, 12) end
      end
      redis.call('UNLINK', key)
    end
  end
  strip(keys[8], keys[9], args[1], args[3])
  if counter then append(keys[8], keys[9], args[2], flips) end
  redis.call('HDEL', keys[4], args[1])
  redis.call('UNLINK', keys[1], unpack(first_keys(keys[7])))
  return redis.status_reply('OK')
end

-- KEYS: the value; ARGV: expected version or '', bytes.
local function put_value(keys, args)
  if (redis.call('HGET', keys[1], 'version') or '') ~= args[1] then return false end
  redis.call('HSET', keys[1], 'bytes', args[2])
  return redis.call('HINCRBY', keys[1], 'version', 1)
end

redis.register_function('nl2_apply', apply)
redis.register_function('nl2_take', take)
redis.register_function('nl2_put_value', put_value)
-- Makes room, so a full server runs it, too.
redis.register_function { function_name = 'nl2_forget', callback = forget, flags = { 'allow-oom' } }

