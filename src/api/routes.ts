import { accountRoutes } from './accounts.js';
import { clipRoutes } from './clips.js';
import { collectionRoutes } from './collections.js';
import { jobRoutes } from './jobs.js';
import { projectRoutes } from './projects.js';
import { scheduleRoutes } from './schedules.js';
import { uploadRoutes } from './uploads.js';

/**
 * The whole interface in one table. The service, the OpenAPI document and the tests read it; the client imports
 * only the resource it speaks to, so that a command pays for one resource's schemas.
 */
export const ROUTES = {
  ...projectRoutes,
  ...uploadRoutes,
  ...clipRoutes,
  ...collectionRoutes,
  ...accountRoutes,
  ...scheduleRoutes,
  ...jobRoutes,
};
export type RouteName = keyof typeof ROUTES;
