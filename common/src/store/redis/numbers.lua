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

-- ------------------------------------------------------------------ many fields at once

-- Fields a call of redis takes at once: Lua's stack holds 8000 arguments.
local SLICE = 2000

-- The held values of many fields; absent ones are false.
local function read(key, fields)
  if #fields <= SLICE then return redis.call('HMGET', key, unpack(fields)) end
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
