/** The parts of answers that the page looks at. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Document = { [name: string]: Json };

export interface Page<T> {
  results: T[];
  total: number;
}

export interface IndexInfo {
  uid: string;
  primaryKey: string | null;
  createdAt: string;
  updatedAt: string;
}

interface IndexStats {
  numberOfDocuments: number;
  rawDocumentDbSize: number;
  isIndexing: boolean;
  numberOfEmbeddings?: number;
  numberOfEmbeddedDocuments?: number;
  fieldDistribution: Record<string, number>;
}

export interface Stats {
  databaseSize: number;
  usedDatabaseSize: number;
  lastUpdate: string | null;
  indexes: Record<string, IndexStats>;
}

export interface ScoreDetail {
  order?: number;
  score?: number;
  similarity?: number;
  value?: Json;
}

export interface Hit {
  _formatted?: Document;
  _rankingScore?: number;
  _rankingScoreDetails?: Record<string, ScoreDetail>;
  _geo?: { lat: number; lng: number };
  [name: string]: unknown;
}

export interface SearchAnswer {
  hits: Hit[];
  processingTimeMs: number;
  totalHits?: number;
  totalPages?: number;
  page?: number;
  semanticHitCount?: number;
  facetDistribution?: Record<string, Record<string, number>>;
  facetStats?: Record<string, { min: number; max: number }>;
}

export interface TaskSummary {
  taskUid: number;
}

export interface Task {
  uid: number;
  batchUid: number | null;
  indexUid: string | null;
  status: "enqueued" | "processing" | "succeeded" | "failed" | "canceled";
  type: string;
  details: Record<string, Json> | null;
  error: { message: string; code: string } | null;
  duration: string | null;
  enqueuedAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

export interface Batch {
  uid: number;
  progress: { percentage: number; steps: { currentStep: string; finished: number; total: number }[] } | null;
  stats: { totalNbTasks: number; status: Record<string, number>; indexUids: Record<string, number> };
  duration: string | null;
  startedAt: string;
  finishedAt: string | null;
}

export interface Settings {
  filterableAttributes?: (string | { attributePatterns: string[] })[];
  sortableAttributes?: string[];
  embedders?: Record<string, Document>;
  pagination?: { maxTotalHits: number };
  [name: string]: unknown;
}

export interface Key {
  uid: string;
  key: string;
  name: string | null;
  description: string | null;
  actions: string[];
  indexes: string[];
  expiresAt: string | null;
}
