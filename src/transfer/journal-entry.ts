import type { Project, ProjectPreferences } from '../api/projects.js';
import { parseJson } from '../parse-json.js';
import type { FileIdentity } from './local-file.js';

/**
 * How far an upload is.
 * `started`: the storage has a session; `uploaded`: all bytes are confirmed; `creating`: a creation was or is about
 * to be sent and its answer is not known; `created`: the project is known. Finished entries stay until the command they
 * were made by is finished, so that repeating it after a kill does not upload them again.
 */
export const UPLOAD_STAGES = ['started', 'uploaded', 'creating', 'created'] as const;
export type UploadStage = (typeof UPLOAD_STAGES)[number];

/** One unfinished upload. `location` is a bearer secret: it is in this file (0600) and nowhere else. */
export interface JournalEntry {
  version: 1;
  /** Names base address and key without showing the key. */
  accountKey: string;
  file: FileIdentity;
  uploadId: string;
  location: string;
  stage: UploadStage;
  /** What the storage had when it was last heard of: for people. The next offset is always asked for. */
  acceptedBytes: number;
  /** The preferences of the project to create; null when none was asked for. */
  body: ProjectPreferences | null;
  /** ISO 8601, UTC. */
  createdAt: string;
  updatedAt: string;
  /** The project, once its creation was answered. */
  project?: Project;
}

/** Whether there is nothing left to do for an entry. */
export function isFinished({ stage, body }: JournalEntry): boolean {
  return stage === 'created' || (stage === 'uploaded' && body === null);
}

/** An entry as text of a journal file: one line. */
export function printEntry(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/**
 * What is added to the text of an entry when its project is known: a second line. A line that a crash has cut is as
 * if it were not there, and the entry says `creating` as before.
 */
export function printProject(project: Project): string {
  return `${JSON.stringify(project)}\n`;
}

/** Reads an entry; undefined when the text is damaged or of another version. */
export function parseEntry(text: string): JournalEntry | undefined {
  const [line = '', projectLine = ''] = text.split('\n');
  const entry = parseJson(line);
  if (!isEntry(entry)) return undefined;
  const project = parseJson(projectLine);
  return isProject(project) ? { ...entry, stage: 'created', project } : entry;
}

function isEntry(value: unknown): value is JournalEntry {
  if (!isObject(value) || value.version !== 1) return false;
  const texts = [value.accountKey, value.uploadId, value.location, value.createdAt, value.updatedAt];
  return (
    texts.every((text) => typeof text === 'string' && text !== '') &&
    URL.canParse(String(value.location)) &&
    isIdentity(value.file) &&
    UPLOAD_STAGES.some((stage) => stage === value.stage) &&
    isCount(value.acceptedBytes) &&
    (value.body === null || isObject(value.body)) &&
    (value.project === undefined || isProject(value.project))
  );
}

function isProject(value: unknown): value is Project {
  return isObject(value) && typeof value.id === 'string';
}

function isIdentity(value: unknown): value is FileIdentity {
  if (!isObject(value)) return false;
  const texts = [value.realPath, value.mtimeNs, value.headSha256, value.tailSha256];
  return texts.every((text) => typeof text === 'string' && text !== '') && isCount(value.sizeBytes);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
