#!lua flags=no-writes
-- Tells where logs end.
--
-- KEYS  logs
-- Answer for each the length and the tag of its last entry, flat
local tails = {}
for _, key in ipairs(KEYS) do
	local length = redis.call('LLEN', key)
	tails[#tails + 1] = length
	tails[#tails + 1] = length > 0 and string.sub(redis.call('LINDEX', key, -1), 1, 8) or ''
end
return tails
