/**
 * How far a run of tasks of one index can be done at once: a small state machine over task after task. Pure logic.
 *
 *   documents ──clear──► clear          settings ──clear──► clearAndSettings
 *   deletions ──import─► documents      any of them ──delete index──► indexDeletion (end)
 */
import type { TaskType } from "../../base/contract/task.ts";

/** What a task means to the batch it might join. */
export interface BatchStep {
  uid: number;
  type: TaskType;
  operation: "import" | "deleteByIds" | "deleteByFilter" | "clear" | "settings" | "deleteIndex" | "alone";
  primaryKey: string | null;
  /** Imports and settings updates create a missing index when their key may; other operations never do. */
  allowIndexCreation: boolean;
  payloadBytes: number;
}

export interface IndexState {
  exists: boolean;
  primaryKey: string | null;
}

export interface BatchLimits {
  tasksMax: number;
  payloadBytesMax: number;
}

type StepKind = "documents" | "deletions" | "clear" | "settings" | "clearAndSettings" | "indexDeletion" | "alone";

export interface Grouping {
  kind: StepKind;
  /** How many of the steps, from the first. */
  length: number;
  primaryKey: string | null;
  allowIndexCreation: boolean;
  /** Why it stopped, or null when every step was taken. */
  strategy: string | null;
}

interface State {
  kind: StepKind;
  primaryKey: string | null;
  /** An import without a key leaves the key to inference, which a later key may contradict. */
  hasImports: boolean;
  hasFilter: boolean;
  allowIndexCreation: boolean;
  /** Whether any task so far had a say about index creation. */
  mayDecideCreation: boolean;
}

/** `steps` are all enqueued tasks of one index in uid order; the first is always taken. */
export function groupSteps(steps: Iterable<BatchStep>, index: IndexState, limits: BatchLimits): Grouping {
  let state: State | null = null;
  let length = 0;
  let payloadBytes = 0;
  let strategy: string | null = null;
  let lastType: TaskType = "documentAdditionOrUpdate";
  for (const step of steps) {
    if (state === null) {
      state = begin(step);
      strategy = endsAtOnce(step, index);
    } else {
      strategy = limitReached(length, payloadBytes + step.payloadBytes, limits) ?? join(state, step, index, lastType);
      if (strategy !== null) break;
      if (step.operation === "deleteIndex") strategy = endedByDeletion(step.uid);
    }
    length++;
    payloadBytes += step.payloadBytes;
    lastType = step.type;
    if (strategy !== null) break;
  }
  if (state === null) throw new Error("A batch needs at least one task.");
  return {
    kind: state.kind,
    length,
    primaryKey: state.primaryKey,
    allowIndexCreation: state.allowIndexCreation,
    strategy,
  };
}

function begin(step: BatchStep): State {
  return {
    kind: firstKind(step),
    primaryKey: step.operation === "import" ? step.primaryKey : null,
    hasImports: step.operation === "import",
    hasFilter: step.operation === "deleteByFilter",
    allowIndexCreation: decidesCreation(step) && step.allowIndexCreation,
    mayDecideCreation: decidesCreation(step),
  };
}

function firstKind(step: BatchStep): StepKind {
  switch (step.operation) {
    case "import":
      return "documents";
    case "deleteByIds":
    case "deleteByFilter":
      return "deletions";
    case "clear":
      return "clear";
    case "settings":
      return "settings";
    case "deleteIndex":
      return "indexDeletion";
    case "alone":
      return "alone";
  }
}

function endsAtOnce(step: BatchStep, index: IndexState): string | null {
  if (step.operation === "alone") return neverJoins(step);
  if (step.operation === "deleteIndex") return endedByDeletion(step.uid);
  if (step.operation === "import" && contradicts(step.primaryKey, index.primaryKey)) return otherPrimaryKey(step);
  return null;
}

/** Takes the step into the state and answers null, or says why not and leaves the state alone. */
function join(state: State, step: BatchStep, index: IndexState, lastType: TaskType): string | null {
  if (step.operation === "alone") return neverJoins(step);
  if (step.operation === "deleteIndex") {
    state.kind = "indexDeletion";
    return null;
  }
  if (!index.exists && mayNotCreate(state) && decidesCreation(step) && step.allowIndexCreation) {
    return `stopped before task ${step.uid} because it may create the missing index and the tasks before it may not.`;
  }
  switch (state.kind) {
    case "documents":
      if (step.operation === "deleteByFilter") return filterAfterImports(step);
      if (step.operation === "settings") return settingsBesideDocuments(step, lastType);
      break;
    case "deletions":
      if (step.operation === "settings") return settingsBesideDocuments(step, lastType);
      if (step.operation === "import" && !index.exists && !state.hasFilter && step.allowIndexCreation) {
        return `stopped before task ${step.uid} because it may create the missing index and a deletion may not.`;
      }
      break;
    case "clear":
      if (step.operation === "settings") return settingsBesideDocuments(step, lastType);
      if (step.operation === "import") return importAfterClear(step);
      break;
    case "settings":
      if (step.operation !== "settings" && step.operation !== "clear") return settingsBesideDocuments(step, lastType);
      break;
    case "clearAndSettings":
      if (step.operation === "import") return importAfterClear(step);
      break;
  }
  if (step.operation === "import" && !keyFits(state, step, index)) return otherPrimaryKey(step);
  accept(state, step);
  return null;
}

function accept(state: State, step: BatchStep): void {
  switch (step.operation) {
    case "import":
      state.kind = "documents";
      state.primaryKey ??= step.primaryKey;
      state.hasImports = true;
      break;
    case "deleteByFilter":
      state.hasFilter = true;
      break;
    case "clear":
      if (state.kind === "documents" || state.kind === "deletions") state.kind = "clear";
      else if (state.kind === "settings") state.kind = "clearAndSettings";
      break;
    case "deleteByIds":
    case "settings":
    case "deleteIndex":
    case "alone":
      break;
  }
  if (decidesCreation(step)) {
    state.mayDecideCreation = true;
    state.allowIndexCreation ||= step.allowIndexCreation;
  }
}

/** A key that the index does not have can only be settled by the first import of a batch. */
function keyFits(state: State, step: BatchStep, index: IndexState): boolean {
  if (step.primaryKey === null) return true;
  if (index.primaryKey !== null) return step.primaryKey === index.primaryKey;
  return !state.hasImports || step.primaryKey === state.primaryKey;
}

function contradicts(asked: string | null, settled: string | null): boolean {
  return asked !== null && settled !== null && asked !== settled;
}

function decidesCreation(step: BatchStep): boolean {
  return step.operation === "import" || step.operation === "settings";
}

function mayNotCreate(state: State): boolean {
  return state.mayDecideCreation && !state.allowIndexCreation;
}

function limitReached(tasks: number, payloadBytes: number, limits: BatchLimits): string | null {
  if (tasks >= limits.tasksMax) return `stopped because a batch holds at most ${limits.tasksMax} tasks.`;
  if (payloadBytes > limits.payloadBytesMax) {
    return `stopped because the payloads of a batch hold at most ${limits.payloadBytesMax} bytes.`;
  }
  return null;
}

function neverJoins(step: BatchStep): string {
  return `stopped at task ${step.uid} because tasks of type \`${step.type}\` run alone.`;
}

function endedByDeletion(uid: number): string {
  return `stopped after task ${uid} because it deletes the index.`;
}

function otherPrimaryKey(step: BatchStep): string {
  return `stopped at task ${step.uid} because its primary key \`${step.primaryKey}\` differs from the one in use.`;
}

function filterAfterImports(step: BatchStep): string {
  return `stopped before task ${step.uid} because its filter must see the documents added before it.`;
}

function importAfterClear(step: BatchStep): string {
  return `stopped before task ${step.uid} because it adds documents after all of them were deleted.`;
}

function settingsBesideDocuments(step: BatchStep, lastType: TaskType): string {
  return `stopped before task ${step.uid} because \`${step.type}\` cannot be batched with \`${lastType}\`.`;
}
