import type { CreationBody, Project } from '../api/projects.js';
import type { UploadLink } from '../api/uploads.js';

/** The two calls of the API that an upload makes; retries of what is safe are inside. They throw ClipctlError. */
export interface UploadApi {
  createUploadLink(options?: { signal?: AbortSignal }): Promise<UploadLink>;
  createProject(body: CreationBody, options: { uploadId: string; signal?: AbortSignal }): Promise<Project>;
}
