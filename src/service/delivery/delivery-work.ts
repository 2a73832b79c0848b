import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import { writeWhole } from '../../write-whole.js';
import type { LoopWork } from '../pipeline/loop.js';
import type { ServiceContext } from '../service-context.js';
import {
  type DeliveryRow,
  listWaitingTargets,
  nextDeliveryTo,
  setDelivered,
  setDeliveryFailed,
} from '../store/deliveries.js';
import { formatMail } from './mail.js';
import { sendWebhook } from './send-webhook.js';

/** Pauses between tries, in seconds: about a day and a half in all, then the delivery has failed for good. */
export const RETRY_PAUSES_SEC = [1, 5, 30, 120, 600, 3600, 6 * 3600, 24 * 3600] as const;

/** So many receivers are spoken to at once. One that does not answer holds up no other, and is asked one thing at a time. */
export const DELIVERY_CONCURRENCY = 8;

/** Folder of the outbox that holds e-mails. */
export const MAIL_FOLDER = 'mail';

/**
 * Deliveries, each at least once: a row is marked only after the receiver has answered, so a crash in between
 * sends it again with the same `deliveryId`.
 */
export function createDeliveryWork(
  context: Pick<ServiceContext, 'db' | 'now' | 'paths' | 'apiKey' | 'log'>,
): LoopWork<DeliveryRow> {
  const { db, now, log } = context;
  const busy = new Set<string>();
  const nextTarget = () => listWaitingTargets(db).find((waiting) => !busy.has(receiverOf(waiting)));
  return {
    takeNext() {
      const target = nextTarget();
      if (!target || target.dueAt > now().toISOString()) return undefined;
      const next = nextDeliveryTo(db, target);
      if (next) busy.add(receiverOf(next));
      return next;
    },
    nextDueAt: () => nextTarget()?.dueAt,
    async run(delivery, signal) {
      const at = now();
      try {
        const status = await send(delivery, context, signal);
        if (status !== null && (status < 200 || status > 299)) throw new ReceiverRefusal(status);
        setDelivered(db, delivery.deliveryId, status, at.toISOString());
        log(`delivery ${delivery.deliveryId}: ${delivery.kind} ${status ?? 'written'}`);
      } catch (error) {
        if (signal.aborted) return;
        const status = error instanceof ReceiverRefusal ? error.status : null;
        const pauseSec = status === 410 ? undefined : RETRY_PAUSES_SEC[delivery.tries];
        const dueAt = pauseSec === undefined ? null : new Date(at.getTime() + pauseSec * 1000).toISOString();
        setDeliveryFailed(db, delivery.deliveryId, { status, error: messageOf(error), dueAt });
        log(
          `delivery ${delivery.deliveryId}: ${messageOf(error)}${dueAt ? `; again at ${dueAt}` : '; given up'}`,
        );
      } finally {
        busy.delete(receiverOf(delivery));
      }
    },
  };
}

/** What answers or does not answer as one: the server of a webhook, the way mail goes. */
function receiverOf({ kind, target }: Pick<DeliveryRow, 'kind' | 'target'>): string {
  return kind === 'WEBHOOK' ? new URL(target).origin : kind;
}

/** Any answer but 2xx; 410 is taken as "never again". */
class ReceiverRefusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the receiver answered ${status}`);
    this.name = 'ReceiverRefusal';
    this.status = status;
  }
}

async function send(
  delivery: DeliveryRow,
  { paths, apiKey, now }: Pick<ServiceContext, 'paths' | 'apiKey' | 'now'>,
  signal: AbortSignal,
): Promise<number | null> {
  const { deliveryId, target, body, subject } = delivery;
  if (delivery.kind === 'WEBHOOK') {
    return sendWebhook({ url: target, apiKey, deliveryId, rawBody: body, nowMs: now().getTime(), signal });
  }
  const folder = join(paths.outbox, MAIL_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const mail = formatMail({ deliveryId, to: target, subject, text: body, date: now() });
  await writeWhole(join(folder, `${deliveryId}.eml`), mail);
  return null;
}
