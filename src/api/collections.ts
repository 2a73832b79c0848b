import * as z from 'zod/mini';
import type { Route } from './route.js';
import { dateTimeText, envelope, nonEmpty } from './wire.js';

export const Collection = z.looseObject({
  collectionId: nonEmpty,
  collectionName: z.optional(z.string()),
  createdAt: z.optional(dateTimeText),
  updatedAt: z.optional(dateTimeText),
});
export type Collection = z.infer<typeof Collection>;

export const CollectionBody = z.strictObject({ collectionName: nonEmpty });
export const CollectionContentBody = z.strictObject({ collectionId: nonEmpty, contentId: nonEmpty });

/** The only valid `q` of the removal. */
export const REMOVAL_QUERY = 'findByCollectionIdAndContentId';
export const CollectionRemovalBody = z.strictObject({
  q: z.literal(REMOVAL_QUERY),
  collectionId: nonEmpty,
  contentId: nonEmpty,
});

export const CollectionContent = z.looseObject({
  collectionId: z.optional(z.string()),
  contentId: z.optional(z.string()),
});

/** `uriForExport` is a download address of the clip's video file; it is fetched without the key. */
export const ExportedClip = z.looseObject({ contentId: nonEmpty, uriForExport: nonEmpty });
export type ExportedClip = z.infer<typeof ExportedClip>;
export const CollectionExport = z.looseObject({ contentList: z.array(ExportedClip) });

export const collectionRoutes = {
  createCollection: {
    name: 'createCollection',
    method: 'POST',
    path: '/api/collections',
    summary: 'Create a collection',
    repeatable: false,
    envelope: true,
    status: 201,
    statusShown: false,
    documented: true,
    request: CollectionBody,
    response: envelope(Collection),
  },
  addToCollection: {
    name: 'addToCollection',
    method: 'POST',
    path: '/api/collection-contents',
    summary: 'Add a clip to a collection',
    repeatable: false,
    envelope: true,
    status: 200,
    statusShown: true,
    documented: true,
    request: CollectionContentBody,
    response: envelope(CollectionContent),
  },
  removeFromCollection: {
    name: 'removeFromCollection',
    method: 'POST',
    path: '/api/collection-contents/delete-collection-contents',
    summary: 'Remove a clip from a collection',
    repeatable: false,
    envelope: true,
    status: 200,
    statusShown: true,
    documented: true,
    request: CollectionRemovalBody,
    response: envelope(z.string()),
  },
  exportCollection: {
    name: 'exportCollection',
    method: 'POST',
    path: '/api/collections/{collectionId}/export',
    summary: 'Export the clips of a collection',
    repeatable: true, // it reads: download addresses of what is there
    envelope: true,
    status: 200,
    statusShown: true,
    documented: true,
    request: z.strictObject({}),
    response: envelope(CollectionExport),
  },
} as const satisfies Record<string, Route>;
