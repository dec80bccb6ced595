#!lua name=newslode_2
-- The served stores' only writer: this file, then waiting.lua and frontier.lua, loaded as one library. Each function does one call of the traits Frontier or SiteState on
-- one site (or one bucket of sites), so it is atomic, and all its keys share one hash tag.
--
-- A changed body needs a new number, in the library's name and in front of every function (function
-- names are global on a server): then old and new services can run beside each other.
--
-- Numbers: Lua knows doubles only. Times, depths and fetch numbers stay below 2^53 (the callers see to
-- it). Cells are any 64-bit integer: see `add`.

-- ------------------------------------------------------------------ 64-bit integers

-- Up to here two doubles add exactly: 2 * 10^15 < 2^53.
local EXACT = 1e15
local WORD = 4294967296

-- Decimal text to two's complement, as two 32-bit halves.
local function halves(text)
  local hi, lo = 0, 0
  local sign, digits = string.match(text, '^(-?)(%d+)$')
  if not digits then error('`' .. text .. '` is not an integer') end
  for n = 1, #digits do
    lo = lo * 10 + (string.byte(digits, n) - 48)
    hi = (hi * 10 + math.floor(lo / WORD)) % WORD
    lo = lo % WORD
  end
  if sign == '-' then
    hi, lo = WORD - 1 - hi, WORD - lo
    if lo == WORD then hi, lo = (hi + 1) % WORD, 0 end
  end
  return hi, lo
end

-- Two's complement to decimal text. A million at a time: 10^6 * 2^32 is exact in a double.
local function decimal(hi, lo)
  local sign = ''
  if hi >= WORD / 2 then
    sign, hi, lo = '-', WORD - 1 - hi, WORD - lo
    if lo == WORD then hi, lo = hi + 1, 0 end
  end
  local digits = ''
  repeat
    local low = (hi % 1000000) * WORD + lo
    hi = math.floor(hi / 1000000)
    local quotient = math.floor(low / 1000000)
    digits = string.format('%06d', low - quotient * 1000000) .. digits
    hi, lo = hi + math.floor(quotient / WORD), quotient % WORD
  until hi == 0 and lo == 0
  digits = string.gsub(digits, '^0+(%d)', '%1')
  return sign .. digits
end

-- A count is a number where that is exact, else its decimal text.
local function count(text)
  if not text then return 0 end
  if #text > 15 then return text end
  return tonumber(text) or error('`' .. text .. '` is not an integer')
end

local function text(number)
  return type(number) == 'number' and string.format('%.0f', number) or number
end

-- The sum of two counts, wrapping as 64-bit integers do.
local function add(a, b)
  if type(a) == 'number' and type(b) == 'number' then
    local sum = a + b
    if sum <= EXACT and sum >= -EXACT then return sum end
    return text(sum)
  end
  local a_hi, a_lo = halves(text(a))
  local b_hi, b_lo = halves(text(b))
  local lo = a_lo + b_lo
  return count(decimal((a_hi + b_hi + math.floor(lo / WORD)) % WORD, lo % WORD))
end

-- ------------------------------------------------------------------ mined state

-- Fields a call of redis takes at once: Lua's stack holds 8000 arguments.
local SLICE = 2000

-- The held values of many fields; absent ones are false.
local function read(key, fields)
  local values = {}
  for from = 1, #fields, SLICE do
    local part = redis.call('HMGET', key, unpack(fields, from, math.min(from + SLICE - 1, #fields)))
    for n = 1, #part do values[from + n - 1] = part[n] end
  end
  return values
end

-- Runs a command with many arguments, `2 * SLICE` at a time.
local function write(command, key, arguments)
  for from = 1, #arguments, 2 * SLICE do
    redis.call(command, key, unpack(arguments, from, math.min(from + 2 * SLICE - 1, #arguments)))
  end
end

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

-- Nearly all counts are small, and making a text or a number of one takes longer than to look it up. Filled at the
-- first call: while a library is loaded there are no functions of Lua's.
local TEXTS, NUMBERS = {}, {}

local function prepare()
  for n = -1024, 1024 do
    TEXTS[n] = string.format('%.0f', n)
    NUMBERS[TEXTS[n]] = n
  end
end

-- What to set and what to delete in one table: { key, fields and values, fields }.
local function moved(key, fields, by)
  local set, sets, gone, gones = {}, 0, {}, 0
  local values = read(key, fields)
  for n = 1, #fields do
    local value, sum = values[n], by[n]
    if value then sum = add(NUMBERS[value] or count(value), sum) end
    if sum == 0 then
      gones = gones + 1
      gone[gones] = fields[n]
    else
      set[sets + 1], set[sets + 2] = fields[n], TEXTS[sum] or text(sum)
      sets = sets + 2
    end
  end
  return { key, set, gone }
end

-- KEYS: versions, counters of the bucket's sites, counters of its forgotten sites, the tables.
-- ARGV: site, batch = msgpack { { a table's cells, by how much each, the next table's … }, { url, expected,
-- fetch, content, day, again, the next change's … } }. The sums are those of all changes together, so either all of
-- them count or nothing is written. Reply: 1 or 0 for that, then the verdicts.
-- Everything is read and judged before the first write, so an error leaves all as it was.
local function apply(keys, args)
  local sums, changes = unpack(cmsgpack.unpack(args[2]))
  local verdicts, counted, fresh = judge(keys[1], changes)
  local is_whole = counted == #verdicts
  table.insert(verdicts, 1, is_whole and '1' or '0')
  if not is_whole then return verdicts end
  if not TEXTS[0] then prepare() end
  local tables, changed = {}, 0
  for n = 1, #sums / 2 do
    tables[n] = moved(keys[3 + n], sums[2 * n - 1], sums[2 * n])
    if #tables[n][2] + #tables[n][3] > 0 then changed = 1 end
  end
  for _, table in ipairs(tables) do
    write('HSET', table[1], table[2])
    write('HDEL', table[1], table[3])
  end
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

-- KEYS as `apply`; ARGV: site. The counter is kept aside and goes on growing if the site comes again:
-- whoever remembers it must see that all has changed.
local function forget(keys, args)
  local counter = redis.call('HGET', keys[2], args[1])
  if counter then
    redis.call('HSET', keys[3], args[1], counter)
    redis.call('HDEL', keys[2], args[1])
  end
  redis.call('UNLINK', keys[1], unpack(keys, 4))
  return redis.status_reply('OK')
end

-- KEYS: the value; ARGV: expected version or '', bytes.
local function put_value(keys, args)
  if (redis.call('HGET', keys[1], 'version') or '') ~= args[1] then return false end
  redis.call('HSET', keys[1], 'bytes', args[2])
  return redis.call('HINCRBY', keys[1], 'version', 1)
end

redis.register_function('nl2_apply', apply)
redis.register_function('nl2_put_value', put_value)
-- Makes room, so a full server runs it, too.
redis.register_function { function_name = 'nl2_forget', callback = forget, flags = { 'allow-oom' } }

