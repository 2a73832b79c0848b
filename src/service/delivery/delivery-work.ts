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
import { ReceiverRefusal } from './receiver-refusal.js';
import { sendWebhook } from './send-webhook.js';
import type { SmtpSettings } from './smtp-settings.js';

/** Pauses between tries, in seconds: about a day and a half in all, then the delivery has failed for good. */
export const RETRY_PAUSES_SEC = [1, 5, 30, 120, 600, 3600, 6 * 3600, 24 * 3600] as const;

/** So many receivers are spoken to at once. One that does not answer holds up no other, and is asked one thing at a time. */
export const DELIVERY_CONCURRENCY = 8;

/** Folder of the outbox that holds e-mails. */
export const MAIL_FOLDER = 'mail';

type DeliveryContext = Pick<ServiceContext, 'db' | 'now' | 'paths' | 'apiKey' | 'log'>;

/**
 * Deliveries, each at least once: a row is marked only after the receiver has answered, so a crash in between
 * sends it again with the same `deliveryId`. Without `smtp` e-mails are only written to the outbox.
 */
export function createDeliveryWork(
  context: DeliveryContext,
  smtp: SmtpSettings | undefined,
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
        const status = await send(delivery, context, smtp, signal);
        setDelivered(db, delivery.deliveryId, status, at.toISOString());
        log(`delivery ${delivery.deliveryId}: ${delivery.kind} ${status ?? 'written'}`);
      } catch (error) {
        if (signal.aborted) return;
        const refusal = error instanceof ReceiverRefusal ? error : undefined;
        const pauseSec = refusal?.isFinal ? undefined : RETRY_PAUSES_SEC[delivery.tries];
        const dueAt = pauseSec === undefined ? null : new Date(at.getTime() + pauseSec * 1000).toISOString();
        setDeliveryFailed(db, delivery.deliveryId, {
          status: refusal?.status ?? null,
          error: messageOf(error),
          dueAt,
        });
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

/** Answers the status of HTTP or SMTP with which it was taken, null when it was written. */
function send(
  delivery: DeliveryRow,
  context: DeliveryContext,
  smtp: SmtpSettings | undefined,
  signal: AbortSignal,
): Promise<number | null> {
  if (delivery.kind === 'WEBHOOK') return callWebhook(delivery, context, signal);
  return deliverMail(delivery, context, smtp, signal);
}

/** Any answer but 2xx is a refusal; 410 is taken as "never again". */
async function callWebhook(
  { deliveryId, target, body }: DeliveryRow,
  { apiKey, now }: DeliveryContext,
  signal: AbortSignal,
): Promise<number> {
  const nowMs = now().getTime();
  const status = await sendWebhook({ url: target, apiKey, deliveryId, rawBody: body, nowMs, signal });
  if (status >= 200 && status <= 299) return status;
  throw new ReceiverRefusal(`the receiver answered ${status}`, { status, isFinal: status === 410 });
}

async function deliverMail(
  { deliveryId, target, subject, body }: DeliveryRow,
  { paths, now }: DeliveryContext,
  smtp: SmtpSettings | undefined,
  signal: AbortSignal,
): Promise<number | null> {
  const { composeMail, sendMail } = await import('./mail.js');
  const mail = { deliveryId, to: target, subject, text: body, date: now() };
  if (smtp) return sendMail(mail, smtp, signal);
  const folder = join(paths.outbox, MAIL_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeWhole(join(folder, `${deliveryId}.eml`), await composeMail(mail));
  return null;
}
