-- ------------------------------------------------------- turns: which buckets to ask

-- KEYS: one sorted set: bucket by a hint, a time that is not later than its first turn. It lies in a slot of its own,
-- so hints are written after what they tell of; who dies between the two leaves a late one until the next sweep.
-- Turns are whole milliseconds. A hint is earlier by a fraction, the stamp of its writer: so who asks a bucket sees
-- whether another wrote a hint meanwhile.

local SWEEP, EVERY = 'sweep', 300000

local function stamped(time, stamp) return string.format('%.17g', time - tonumber(stamp) / 1000) end

-- ARGV: stamp (1 to 999), then bucket and turn for each. A hint becomes no later by this.
local function hint(keys, args)
  for n = 2, #args, 2 do
    local turn, held = tonumber(args[n + 1]), redis.call('ZSCORE', keys[1], args[n])
    if held then turn = math.min(turn, math.ceil(tonumber(held))) end
    redis.call('ZADD', keys[1], stamped(turn, args[1]), args[n])
  end
  return redis.status_reply('OK')
end

-- ARGV: now, most. Reply: 1 if the caller is to sweep, the first turn after now or '', then bucket and hint of those
-- whose turn it is, the longest waiting first.
local function look(keys, args)
  local now, swept = tonumber(args[1]), redis.call('ZSCORE', keys[1], SWEEP)
  local reply = { '0', '' }
  if not swept or tonumber(swept) <= now then
    redis.call('ZADD', keys[1], integer(now + EVERY), SWEEP)
    reply[1] = '1'
  end
  local later = redis.call('ZRANGEBYSCORE', keys[1], '(' .. args[1], '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  if later[2] then reply[2] = integer(math.ceil(tonumber(later[2]))) end
  local due = redis.call('ZRANGEBYSCORE', keys[1], '-inf', args[1], 'WITHSCORES', 'LIMIT', 0, args[2])
  for _, part in ipairs(due) do reply[#reply + 1] = part end
  return reply
end

-- ARGV: stamp, then bucket, the hint that was seen, and the first turn that was found after it or '', for each. A
-- hint that is no longer the one that was seen stays.
local function correct(keys, args)
  for n = 2, #args, 3 do
    local bucket, seen, turn = args[n], args[n + 1], args[n + 2]
    if redis.call('ZSCORE', keys[1], bucket) == seen then
      if turn == '' then
        redis.call('ZREM', keys[1], bucket)
      else
        redis.call('ZADD', keys[1], stamped(tonumber(turn), args[1]), bucket)
      end
    end
  end
  return redis.status_reply('OK')
end

redis.register_function('nl2_hint', hint)
redis.register_function('nl2_look', look)
redis.register_function('nl2_correct', correct)

