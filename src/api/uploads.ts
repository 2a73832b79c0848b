import * as z from 'zod/mini';
import type { Route } from './route.js';
import { nonEmpty } from './wire.js';

/** The one usecase value the document uses. */
export const LOCAL_UPLOAD = 'LocalUpload';

export const UploadLinkBody = z.strictObject({ video: z.strictObject({ usecase: nonEmpty }) });

/** `url` starts a resumable upload; `uploadId` is the videoUrl of the project. */
export const UploadLink = z.looseObject({
  url: nonEmpty,
  uploadId: nonEmpty,
  dnsUrl: z.optional(z.nullable(z.string())),
  useAmount: z.optional(z.nullable(z.number())),
  totalAmount: z.optional(z.nullable(z.number())),
});
export type UploadLink = z.infer<typeof UploadLink>;

/** Headers of the storage (see upload.md): start, its session id, and what it may say it has stored. */
export const STORAGE_HEADERS = {
  resumable: 'x-storage-resumable',
  uploadId: 'x-storage-resumable-upload-id',
  storedLength: 'x-storage-stored-content-length',
  hash: 'x-storage-hash',
} as const;

export const uploadRoutes = {
  createUploadLink: {
    name: 'createUploadLink',
    method: 'POST',
    path: '/api/upload-links',
    summary: 'Generate an upload link',
    repeatable: true, // a spare link holds nothing
    envelope: false,
    status: 200,
    statusShown: false,
    documented: true,
    request: UploadLinkBody,
    response: UploadLink,
  },
} as const satisfies Record<string, Route>;
