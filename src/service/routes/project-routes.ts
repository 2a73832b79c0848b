import { type CreationBody, UPLOAD_ID_HEADER } from '../../api/projects.js';
import { isMailAddress } from '../delivery/mail-address.js';
import { isIdText, newId } from '../ids.js';
import { viewProject } from '../project-view.js';
import type { ServiceContext } from '../service-context.js';
import { ServiceError } from '../service-error.js';
import type { Database } from '../store/database.js';
import { insertProject, type NewProject, setVisibility } from '../store/projects.js';
import { findUpload } from '../store/uploads.js';
import { requireProject } from './find-or-refuse.js';
import type { RouteHandlers } from './route-types.js';

/** Longer addresses are no addresses of videos. */
const MAX_ADDRESS_CHARS = 4096;
const MAX_TITLE_CHARS = 500;

type ProjectRoutes = Pick<RouteHandlers, 'createProject' | 'getProject' | 'updateVisibility'>;

export function createProjectRoutes(context: ServiceContext): ProjectRoutes {
  const { db, now } = context;
  return {
    createProject({ body, header }) {
      const uploadId = header(UPLOAD_ID_HEADER);
      if (uploadId !== undefined && uploadId !== body.videoUrl) {
        throw new ServiceError(
          'InvalidRequest',
          `the header ${UPLOAD_ID_HEADER} names another upload than videoUrl`,
        );
      }
      checkActions(body);
      const { videoUrl, ...preferences } = body;
      const title = preferences.uploadedVideoAttr?.title ?? null;
      if (title !== null && title.length > MAX_TITLE_CHARS) {
        throw new ServiceError(
          'InvalidRequest',
          `uploadedVideoAttr.title: longer than ${MAX_TITLE_CHARS} characters`,
        );
      }
      const project: NewProject = {
        projectId: newId('project'),
        ...checkSource(db, videoUrl),
        title,
        preferences,
      };
      insertProject(db, project, now().toISOString());
      context.wake();
      return viewProject(requireProject(db, project.projectId), context);
    },
    getProject: ({ params }) => viewProject(requireProject(db, params.projectId), context),
    updateVisibility({ params, body }) {
      const { projectId } = requireProject(db, params.projectId);
      setVisibility(db, projectId, body.visibility, now().toISOString());
      return viewProject(requireProject(db, projectId), context);
    },
  };
}

/** What `videoUrl` names: an address to fetch, or an upload that is whole. */
function checkSource(db: Database, videoUrl: string): Pick<NewProject, 'sourceKind' | 'source'> {
  if (/^[a-z][a-z0-9+.-]*:/i.test(videoUrl))
    return { sourceKind: 'address', source: checkAddress(videoUrl, 'videoUrl') };
  const upload = isIdText(videoUrl) ? findUpload(db, videoUrl) : undefined;
  if (!upload) {
    throw new ServiceError(
      'NotFound',
      'videoUrl: neither an http(s) address nor the id of an upload that is here',
    );
  }
  if (upload.state !== 'complete')
    throw new ServiceError('Conflict', 'videoUrl: this upload is not complete');
  return { sourceKind: 'upload', source: upload.uploadId };
}

function checkActions({ conclusionActions = [] }: CreationBody): void {
  conclusionActions.forEach((action, index) => {
    const path = `conclusionActions.${index}`;
    if (action.type === 'WEBHOOK') checkAddress(action.url, `${path}.url`);
    else if (!isMailAddress(action.email)) {
      throw new ServiceError('InvalidRequest', `${path}.email: not an e-mail address`);
    }
  });
}

/** An http(s) address, written as URL writes it. */
function checkAddress(text: string, path: string): string {
  if (text.length > MAX_ADDRESS_CHARS || !URL.canParse(text)) {
    throw new ServiceError('InvalidRequest', `${path}: not an address`);
  }
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ServiceError('InvalidRequest', `${path}: must begin with http:// or https://`);
  }
  return url.href;
}
