import type { IncomingMessage } from 'node:http';
import { type RunningHash, startHash } from './receive-body.js';

/** What the process knows of a session while it lives: its hash so far and who is using it. */
export interface LiveSession {
  running: RunningHash;
}

interface Holder {
  request: IncomingMessage;
  done: Promise<void>;
}

/** The sessions in use. One request at a time holds a session; the newest wins. */
export interface Sessions {
  /**
   * Runs `work` alone on the session. A request that holds it is cut off first and waited for: its client has
   * either gone without our knowing (a half-open connection) or is a second writer, and what it had sent is kept.
   */
  holdAlone(
    sessionId: string,
    request: IncomingMessage,
    work: (live: LiveSession) => Promise<void>,
  ): Promise<void>;
  forget(sessionId: string): void;
  /** Cuts off every request and waits until all they sent is on the disk. */
  stop(): Promise<void>;
}

export function createSessions(): Sessions {
  const live = new Map<string, LiveSession>();
  const holders = new Map<string, Holder>();
  return {
    async holdAlone(sessionId, request, work) {
      for (let older = holders.get(sessionId); older; older = holders.get(sessionId)) {
        // A second request of the same connection waits its turn.
        if (older.request.socket !== request.socket) older.request.socket.destroy();
        await older.done;
      }
      const session = live.get(sessionId) ?? { running: startHash() };
      live.set(sessionId, session);
      const running = work(session).finally(() => holders.delete(sessionId));
      holders.set(sessionId, {
        request,
        done: running.then(
          () => undefined,
          () => undefined,
        ),
      });
      await running;
    },
    forget: (sessionId) => {
      live.delete(sessionId);
    },
    async stop() {
      for (const holder of holders.values()) holder.request.socket.destroy();
      await Promise.all([...holders.values()].map((holder) => holder.done));
    },
  };
}
