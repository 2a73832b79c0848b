/** Where a project is inside its stage. Not stored: it is only of interest while somebody looks. */
export interface Progress {
  stage: string;
  /** Of this stage, 0..1. */
  fraction: number;
  /** What is being done, a few words. */
  message: string;
}

export interface ProgressBoard {
  set(projectId: string, progress: Progress): void;
  get(projectId: string): Progress | undefined;
  clear(projectId: string): void;
}

export function createProgressBoard(): ProgressBoard {
  const board = new Map<string, Progress>();
  return {
    set: (projectId, progress) => {
      board.set(projectId, { ...progress, fraction: Math.min(1, Math.max(0, progress.fraction)) });
    },
    get: (projectId) => board.get(projectId),
    clear: (projectId) => {
      board.delete(projectId);
    },
  };
}
