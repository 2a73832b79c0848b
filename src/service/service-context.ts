import type { DataPaths } from './data-dir.js';
import type { Faults } from './faults.js';
import type { ProgressBoard } from './pipeline/progress-board.js';
import type { AddressSigner } from './signed-address.js';
import type { Database } from './store/database.js';

/** What the service's routes and workers share. Each file asks for the members it uses, not for the whole. */
export interface ServiceContext {
  db: Database;
  paths: DataPaths;
  now: () => Date;
  log: (line: string) => void;
  faults: Faults;
  signer: AddressSigner;
  progress: ProgressBoard;
  apiKey: string;
  /** Tells the workers that something new is in the store. */
  wake: () => void;
}
