import type { Database } from './database.js';

/**
 * The store's shape, one step after another. A step that was published is never changed; a new one is added.
 * Times are ISO 8601 UTC text, file names are relative to their folder in the data directory.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE uploads (
    upload_id TEXT PRIMARY KEY,
    link_token TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    file TEXT,
    size_bytes INTEGER,
    sha256 TEXT,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    completed_at TEXT
  ) STRICT;
  CREATE TABLE upload_sessions (
    token TEXT PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    upload_id TEXT NOT NULL REFERENCES uploads(upload_id),
    state TEXT NOT NULL,
    total_bytes INTEGER,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX upload_sessions_of_upload ON upload_sessions(upload_id);
  `,
  `
  CREATE TABLE projects (
    project_id TEXT PRIMARY KEY,
    stage TEXT NOT NULL,
    source_kind TEXT NOT NULL,
    source TEXT NOT NULL,
    source_file TEXT,
    title TEXT,
    preferences TEXT NOT NULL,
    visibility TEXT NOT NULL,
    error TEXT,
    notes TEXT NOT NULL,
    tries INTEGER NOT NULL,
    stall_count INTEGER NOT NULL,
    due_at TEXT NOT NULL,
    lease_until TEXT,
    storage_bytes INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX projects_to_do ON projects(due_at) WHERE stage NOT IN ('COMPLETE', 'STALLED');
  CREATE INDEX projects_by_age ON projects(created_at DESC, project_id);
  CREATE TABLE clips (
    clip_id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects(project_id),
    position INTEGER NOT NULL,
    moment TEXT NOT NULL,
    file TEXT,
    version INTEGER NOT NULL,
    width INTEGER,
    height INTEGER,
    duration_ms INTEGER,
    size_bytes INTEGER,
    notes TEXT NOT NULL,
    created_at TEXT NOT NULL,
    rendered_at TEXT,
    UNIQUE (project_id, position)
  ) STRICT;
  `,
  `
  CREATE TABLE collections (
    collection_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE collection_contents (
    collection_id TEXT NOT NULL REFERENCES collections(collection_id),
    clip_id TEXT NOT NULL REFERENCES clips(clip_id),
    added_at TEXT NOT NULL,
    PRIMARY KEY (collection_id, clip_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE schedules (
    schedule_id TEXT PRIMARY KEY,
    clip_id TEXT NOT NULL REFERENCES clips(clip_id),
    request TEXT NOT NULL,
    publish_at TEXT NOT NULL,
    state TEXT NOT NULL,
    folder TEXT,
    published_at TEXT,
    is_late INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX schedules_to_do ON schedules(publish_at) WHERE state IN ('SCHEDULED', 'PUBLISHING');
  CREATE TABLE deliveries (
    delivery_id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    due_at TEXT NOT NULL,
    last_status INTEGER,
    last_error TEXT,
    created_at TEXT NOT NULL,
    delivered_at TEXT
  ) STRICT;
  CREATE INDEX deliveries_to_do ON deliveries(due_at) WHERE state = 'PENDING';
  CREATE TABLE jobs (
    job_id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    clip_id TEXT NOT NULL REFERENCES clips(clip_id),
    request TEXT NOT NULL,
    cache_key TEXT,
    status TEXT NOT NULL,
    error TEXT,
    result TEXT,
    tries INTEGER NOT NULL DEFAULT 0,
    due_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX jobs_to_do ON jobs(kind, due_at) WHERE status <> 'CONCLUDED';
  CREATE INDEX jobs_by_cache_key ON jobs(cache_key) WHERE cache_key IS NOT NULL;
  `,
  `
  CREATE INDEX jobs_of_clip ON jobs(clip_id, created_at);
  `,
  `
  ALTER TABLE clips ADD COLUMN censored TEXT NOT NULL DEFAULT '[]';
  `,
  `
  ALTER TABLE projects ADD COLUMN cut_offs INTEGER NOT NULL DEFAULT 0;
  `,
  `
  ALTER TABLE projects ADD COLUMN concluded_at TEXT;
  UPDATE projects SET concluded_at = updated_at WHERE stage IN ('COMPLETE', 'STALLED');
  `,
];

/** Brings the store up to date. Throws when it was made by a newer program. */
export function migrate(database: Database, now: Date): void {
  database.exec(
    'CREATE TABLE IF NOT EXISTS migrations (step INTEGER PRIMARY KEY, applied_at TEXT NOT NULL) STRICT',
  );
  const done = Number(database.get('SELECT COALESCE(MAX(step), 0) AS step FROM migrations')?.step ?? 0);
  if (done > MIGRATIONS.length) {
    throw new Error(
      `the store has ${done} migrations, this program knows ${MIGRATIONS.length}: it was made by a newer one`,
    );
  }
  MIGRATIONS.slice(done).forEach((sql, index) => {
    database.transaction(() => {
      database.exec(sql);
      database.run(
        'INSERT INTO migrations (step, applied_at) VALUES (?, ?)',
        done + index + 1,
        now.toISOString(),
      );
    });
  });
}
