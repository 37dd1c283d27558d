// Says in one line that this Node is too old. Written in old syntax and without imports, so that an old Node gets as far as
// this line; the scripts load everything else only afterwards.
var LEAST = [20, 15];

export function demandNode() {
  var parts = process.versions.node.split(".").map(Number);
  if (parts[0] > LEAST[0] || (parts[0] === LEAST[0] && parts[1] >= LEAST[1])) return;
  console.error(`sabre-search needs Node ${LEAST.join(".")} or newer; this is ${process.version}.`);
  process.exit(1);
}
