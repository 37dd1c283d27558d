/**
 * Numbers sets of fields in the order in which they are first asked for. A set is found by going from its least field to
 * its greatest: a prefix below the number of fields is that field alone, the others are numbered as they come up.
 */
import { Log } from "../../shared/assembly/log";
import { allocate, allocateZeros } from "../../shared/assembly/region";
import { Entry, Table } from "../../shared/assembly/table";

/** A prefix and the field it goes on with. */
@unmanaged
class Step {
  prefix: u32;
  field: u32;
}

export let fields: u32 = 0;
/** By field: its set alone, plus one; 0 while nobody asked for it. */
let singles: usize = 0;
/** By steps: value is the longer prefix, more its set plus one. */
let longerPrefixes: Table = changetype<Table>(0);
/** Entries of the prefixes of more than one field. */
let prefixes: usize = 0;
let prefixesMax: u32 = 0;
let key: Step = changetype<Step>(0);
let offsets: Log = changetype<Log>(0);
let members: Log = changetype<Log>(0);
export let setCount: u32 = 0;

const PREFIXES_FIRST: u32 = 64;

export function openSets(fieldCount: u32): void {
  fields = fieldCount;
  setCount = 0;
  singles = allocateZeros((<usize>fieldCount) << 2);
  longerPrefixes = changetype<Table>(allocate(offsetof<Table>()));
  longerPrefixes.prepare();
  prefixesMax = PREFIXES_FIRST;
  prefixes = allocate((<usize>prefixesMax) << 2);
  key = changetype<Step>(allocate(offsetof<Step>()));
  offsets = changetype<Log>(allocateZeros(offsetof<Log>()));
  members = changetype<Log>(allocateZeros(offsetof<Log>()));
  offsets.push(0);
}

/** The prefix that goes on from `prefix` with `field`, which is greater than all its members. */
export function longer(prefix: u32, field: u32): u32 {
  key.prefix = prefix;
  key.field = field;
  const entry = longerPrefixes.entry(changetype<usize>(key), <u32>offsetof<Step>());
  if (longerPrefixes.isNew) {
    const number = longerPrefixes.count - 1;
    if (number === prefixesMax) {
      const before = prefixes;
      prefixesMax *= 2;
      prefixes = allocate((<usize>prefixesMax) << 2);
      memory.copy(prefixes, before, (<usize>number) << 2);
    }
    store<u32>(prefixes + ((<usize>number) << 2), <u32>changetype<usize>(entry));
    entry.value = fields + number;
  }
  return entry.value;
}

/** The set of the fields of a prefix; a field is the prefix of itself alone. */
export function setOf(prefix: u32): u32 {
  const known = prefix < fields ? load<u32>(singles + ((<usize>prefix) << 2)) : entryOf(prefix).more;
  return known !== 0 ? known - 1 : newSet(prefix);
}

function entryOf(prefix: u32): Entry {
  return changetype<Entry>(load<u32>(prefixes + ((<usize>(prefix - fields)) << 2)));
}

function stepOf(prefix: u32): Step {
  return changetype<Step>(entryOf(prefix).bytes);
}

function newSet(prefix: u32): u32 {
  let length: u32 = 1;
  for (let rest = prefix; rest >= fields; rest = stepOf(rest).prefix) length++;
  const listed = allocate((<usize>length) << 2);
  let rest = prefix;
  for (let i = length - 1; i > 0; i--) {
    const step = stepOf(rest);
    store<u32>(listed + ((<usize>i) << 2), step.field);
    rest = step.prefix;
  }
  store<u32>(listed, rest);
  for (let i: u32 = 0; i < length; i++) members.push(load<u32>(listed + ((<usize>i) << 2)));
  offsets.push(members.length);
  setCount++;
  if (prefix < fields) store<u32>(singles + ((<usize>prefix) << 2), setCount);
  else entryOf(prefix).more = setCount;
  return setCount - 1;
}

/** How many numbers there are: the members of all sets, or where each set begins; with `out`, they are written there. */
export function setsList(isMembers: bool, out: usize): u32 {
  const list = isMembers ? members : offsets;
  if (out !== 0) list.copyTo(out);
  return list.length;
}
