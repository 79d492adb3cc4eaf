-- Asks for the paths of a file one after another. Tells when it begins, on a line of its own, and at the end what came
-- of it, as JSON on another.
--
-- BENCH_PATHS  the file, a path a line. They have tokens in them, so they are in a file that only its owner can read.
-- BENCH_THINK  how many milliseconds a connection waits at most before each request, in the mean half of it.

local requests = {}
local last = 0
local asked = 0
local think = tonumber(os.getenv("BENCH_THINK") or "0")

function init()
  for path in io.lines(os.getenv("BENCH_PATHS")) do
    requests[#requests + 1] = wrk.format("GET", path)
  end
end

function request()
  asked = asked + 1
  -- wrk takes the first one to look at it, before it can be interrupted.
  if asked == 2 then
    io.write("BENCH begins\n")
    io.flush()
  end
  last = last % #requests + 1
  return requests[last]
end

-- wrk looks for the function to know whether to wait at all.
if think > 0 then
  function delay()
    return math.random(0, think)
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nBENCH {"requests":%d,"microseconds":%d,"bytes":%d,"refused":%d,"broken":%d,"late":%d,"p50":%d,"p99":%d,"max":%d}\n',
    summary.requests, summary.duration, summary.bytes,
    errors.status, errors.connect + errors.read + errors.write, errors.timeout,
    latency:percentile(50), latency:percentile(99), latency.max
  ))
end
