import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Company } from "../../../src/storage/store/company.ts";

/** Whether it has resolved by now, with nothing but turns between. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  for (let i = 0; i < 5; i++) await Promise.resolve();
  return settled;
}

let nowMs = 1000;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => nowMs);
});

afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

test("a record waits for those who were answered, until nearly all are back", async () => {
  const company = new Company();
  company.appended(30, 30, 1000);
  const gathered = company.gathered(30);
  for (let count = 30; count < 53; count++) company.joined();
  assert.equal(await isSettled(gathered), false);
  company.joined();
  assert.equal(await isSettled(gathered), true);
});

test("few are sent at once, and so are those who come when nobody else is expected any more", async () => {
  const company = new Company();
  assert.equal(await isSettled(company.gathered(1)), true);
  company.appended(4, 3, 1000);
  assert.equal(await isSettled(company.gathered(1)), true);
  company.appended(60, 4, 0);
  assert.equal(await isSettled(company.gathered(1)), true);
});

test("nobody is waited for longer than it takes, nor when there is something else to do", async () => {
  const company = new Company();
  company.appended(60, 4, 5);
  const late = company.gathered(4);
  assert.equal(await isSettled(late), false);
  mock.timers.tick(20);
  assert.equal(await isSettled(late), true);
  const dispersed = company.gathered(4);
  assert.equal(await isSettled(dispersed), false);
  company.disperse();
  assert.equal(await isSettled(dispersed), true);
});

/** So many records, each after so long. Says whether one that comes then waits for others. */
async function waitsAfter(company: Company, records: number, everyMs: number): Promise<boolean> {
  for (let i = 0; i < records; i++) {
    nowMs += everyMs;
    company.appended(32, 32, 5);
  }
  const gathered = company.gathered(32);
  const waits = !(await isSettled(gathered));
  company.disperse();
  return waits;
}

test("both ways are tried, and the one that answers more is kept for a while", async () => {
  const company = new Company();
  assert.equal(await waitsAfter(company, 31, 10), true);
  assert.equal(await waitsAfter(company, 1, 10), false);
  assert.equal(await waitsAfter(company, 32, 5), false);
  assert.equal(await waitsAfter(company, 255, 5), false);
  assert.equal(await waitsAfter(company, 1, 5), true);
  assert.equal(await waitsAfter(company, 32, 10), false);
  assert.equal(await waitsAfter(company, 32, 9), true);
  assert.equal(await waitsAfter(company, 255, 9), true);
});
