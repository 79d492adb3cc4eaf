/** Prints the URL of a listening server as a line of JSON, for the bench. */
export function announce(server) {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`);
}
