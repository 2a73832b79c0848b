import { splitContentId } from '../../api/clips.js';
import type { Collection } from '../../api/collections.js';
import { isIdText, newId } from '../ids.js';
import { clipAddress } from '../project-view.js';
import type { ServiceContext } from '../service-context.js';
import { ServiceError } from '../service-error.js';
import type { ClipRow } from '../store/clips.js';
import {
  addContent,
  type CollectionRow,
  findCollection,
  insertCollection,
  listContent,
  removeContent,
} from '../store/collections.js';
import type { Database } from '../store/database.js';
import { hasClipFile, lostClips, requireClip } from './find-or-refuse.js';
import type { RouteHandlers } from './route-types.js';

const MAX_NAME_CHARS = 200;

type CollectionRoutes = Pick<
  RouteHandlers,
  'createCollection' | 'addToCollection' | 'removeFromCollection' | 'exportCollection'
>;

/** `quota` is how many collections there may be; the next one is refused with QuotaExceed. */
export function createCollectionRoutes(context: ServiceContext, quota: number): CollectionRoutes {
  const { db, now, paths } = context;
  const at = () => now().toISOString();
  return {
    createCollection({ body }) {
      const name = body.collectionName;
      if (name.length > MAX_NAME_CHARS || name.trim() === '') {
        throw new ServiceError('InvalidRequest', `collectionName: 1 to ${MAX_NAME_CHARS} characters`);
      }
      const collectionId = newId('collection');
      if (!insertCollection(db, { collectionId, name }, { at: at(), quota })) {
        throw new ServiceError('QuotaExceed', `the limit of collections is reached: ${quota}`);
      }
      return viewCollection(requireCollection(db, collectionId));
    },
    addToCollection({ body }) {
      const { collectionId } = requireCollection(db, body.collectionId);
      const { clipId } = requireContent(db, body.contentId);
      addContent(db, collectionId, clipId, at());
      return { collectionId, contentId: body.contentId };
    },
    removeFromCollection({ body }) {
      const { collectionId } = requireCollection(db, body.collectionId);
      const { clipId } = requireContent(db, body.contentId);
      if (!removeContent(db, collectionId, clipId, at())) {
        throw new ServiceError('NotFound', 'contentId: this clip is not in the collection');
      }
      return 'success';
    },
    async exportCollection({ params, baseUrl }) {
      const { collectionId } = requireCollection(db, params.collectionId);
      const clips = listContent(db, collectionId);
      const areThere = await Promise.all(clips.map((clip) => hasClipFile(clip, paths)));
      const lost = clips.filter((_, index) => !areThere[index]);
      if (lost.length > 0) throw new ServiceError('Conflict', lostClips(lost));
      const contentList = clips.map((clip) => ({
        contentId: `${clip.projectId}.${clip.clipId}`,
        uriForExport: clipAddress(clip, context, baseUrl),
      }));
      return { contentList };
    },
  };
}

function requireCollection(db: Database, collectionId: string | undefined): CollectionRow {
  const found =
    collectionId !== undefined && isIdText(collectionId) ? findCollection(db, collectionId) : undefined;
  if (!found) throw new ServiceError('NotFound', 'no such collection');
  return found;
}

function requireContent(db: Database, contentId: string): ClipRow {
  const parts = splitContentId(contentId);
  if (!parts)
    throw new ServiceError('InvalidRequest', 'contentId: must be a full clip id, {projectId}.{curationId}');
  return requireClip(db, parts.projectId, parts.clipId);
}

function viewCollection(row: CollectionRow): Collection {
  return {
    collectionId: row.collectionId,
    collectionName: row.name,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
