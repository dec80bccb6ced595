-- ---------------------------------------------- frontier: URLs that have left

-- A site's remembered URLs: a hash of packed buckets, so that a URL takes a dozen bytes. A bucket is a string of
-- records, ten bytes each: the URL's name (eight bytes of a hash) and the day on which it was last shown. Buckets
-- are split one by one as the number of URLs grows (linear hashing). Field `n`: URLs, `b`: buckets.

local RECORD = 10
-- Records in a bucket, on average.
local FULL = 48
-- Days after which a URL is forgotten that nobody shows.
local KEPT = 90

local function day_of(now) return math.floor(tonumber(now) / 86400000) end

local function counts(site)
  local urls, buckets = unpack(redis.call('HMGET', site.remembered, 'n', 'b'))
  return tonumber(urls or '0'), tonumber(buckets or '1')
end

-- The bucket of a name, among so many.
local function bucket_of(name, buckets)
  local hash = struct.unpack('>I4', name)
  local half = 1
  while half * 2 <= buckets do half = half * 2 end
  local bucket = hash % half
  if bucket < buckets - half then bucket = hash % (half * 2) end
  return bucket
end

-- Where the record of a name begins; nil if it is not there.
local function find(records, name)
  local from = 1
  while true do
    local found = string.find(records, name, from, true)
    if not found then return nil end
    if (found - 1) % RECORD == 0 then return found end
    from = found + 1
  end
end

local function day_at(records, found) return struct.unpack('>I2', string.sub(records, found + 8, found + 9)) end

local function put_bucket_of(site, bucket, records)
  if records == '' then
    redis.call('HDEL', site.remembered, bucket)
  else
    redis.call('HSET', site.remembered, bucket, records)
  end
end

-- Drops the records that nobody has shown for long.
local function living(records, today)
  local kept = {}
  for found = 1, #records, RECORD do
    if day_at(records, found) + KEPT >= today then kept[#kept + 1] = string.sub(records, found, found + 9) end
  end
  return table.concat(kept), #kept
end

-- Divides the bucket whose turn it is.
local function split(site, buckets)
  local half = 1
  while half * 2 <= buckets do half = half * 2 end
  local old = buckets - half
  local parts = { [old] = {}, [buckets] = {} }
  local records = redis.call('HGET', site.remembered, old) or ''
  for found = 1, #records, RECORD do
    local record = string.sub(records, found, found + 9)
    local part = parts[bucket_of(record, buckets + 1)]
    part[#part + 1] = record
  end
  for bucket, part in pairs(parts) do put_bucket_of(site, bucket, table.concat(part)) end
  redis.call('HSET', site.remembered, 'b', buckets + 1)
end

-- Remembers a URL that was shown or left on this day.
local function remember(site, name, today)
  local urls, buckets = counts(site)
  local bucket = bucket_of(name, buckets)
  local records = redis.call('HGET', site.remembered, bucket) or ''
  local found = find(records, name)
  if found then records = string.sub(records, 1, found - 1) .. string.sub(records, found + RECORD) end
  local before = #records / RECORD + (found and 1 or 0)
  local kept, number = living(records, today)
  put_bucket_of(site, bucket, kept .. name .. struct.pack('>I2', today))
  urls = urls - before + number + 1
  redis.call('HSET', site.remembered, 'n', integer(urls))
  if urls > FULL * buckets then split(site, buckets) end
end

-- Forgets a URL. True if it was remembered.
local function forget_name(site, name)
  local urls, buckets = counts(site)
  local bucket = bucket_of(name, buckets)
  local records = redis.call('HGET', site.remembered, bucket)
  local found = records and find(records, name)
  if not found then return false end
  put_bucket_of(site, bucket, string.sub(records, 1, found - 1) .. string.sub(records, found + RECORD))
  redis.call('HSET', site.remembered, 'n', integer(urls - 1))
  return true
end

-- The day on which a remembered URL was last shown; nil if it is not remembered, or was not shown for long.
local function shown(site, name, today)
  local _, buckets = counts(site)
  local records = redis.call('HGET', site.remembered, bucket_of(name, buckets))
  local found = records and find(records, name)
  if not found then return nil end
  local day = day_at(records, found)
  if day + KEPT >= today then return day end
end
