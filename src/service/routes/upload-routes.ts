import { newId, newToken } from '../ids.js';
import type { ServiceContext } from '../service-context.js';
import { LINK_PATH, SESSION_LIFE_MS } from '../storage/storage.js';
import { insertUpload } from '../store/uploads.js';
import type { RouteHandlers } from './route-types.js';

export function createUploadRoutes({
  db,
  now,
}: Pick<ServiceContext, 'db' | 'now'>): Pick<RouteHandlers, 'createUploadLink'> {
  return {
    createUploadLink({ baseUrl }) {
      const uploadId = newId('upload');
      const linkToken = newToken();
      const madeMs = now().getTime();
      insertUpload(db, {
        uploadId,
        linkToken,
        createdAt: new Date(madeMs).toISOString(),
        expiresAt: new Date(madeMs + SESSION_LIFE_MS).toISOString(),
      });
      return {
        url: `${baseUrl}${LINK_PATH}${linkToken}`,
        uploadId,
        dnsUrl: baseUrl,
        useAmount: 0,
        totalAmount: 0,
      };
    },
  };
}
