#include "compare/store.hpp"

namespace heapwright::compare {

std::string_view schema_sql() {
    return R"sql(
CREATE TABLE report (
    id           INTEGER PRIMARY KEY,
    stable_hash  TEXT NOT NULL UNIQUE,  -- XXH3-128 of the document without its volatile sections
    file         TEXT NOT NULL,         -- where it was read from
    created_utc  TEXT NOT NULL,         -- when it was probed, ISO 8601; may be empty
    tool_version TEXT NOT NULL,
    added_utc    TEXT NOT NULL,
    document     TEXT NOT NULL          -- the whole JSON document
);
CREATE TABLE device (
    id             INTEGER PRIMARY KEY,
    report_id      INTEGER NOT NULL REFERENCES report(id),
    position       INTEGER NOT NULL,  -- in the report's devices
    fingerprint    TEXT NOT NULL,     -- allocation behaviour; equal for equal behaviour
    api            TEXT NOT NULL,
    type           TEXT NOT NULL,
    name           TEXT NOT NULL,
    vendor_id      INTEGER NOT NULL,
    device_id      INTEGER NOT NULL,
    driver_id      TEXT NOT NULL,
    driver_name    TEXT NOT NULL,
    driver_info    TEXT NOT NULL,
    driver_version INTEGER NOT NULL,
    UNIQUE (report_id, position)
);
CREATE TABLE heap (
    device_id  INTEGER NOT NULL REFERENCES device(id),
    position   INTEGER NOT NULL,
    role       TEXT NOT NULL,     -- "device_local", "host"
    size_bytes INTEGER NOT NULL,  -- 64 bits; above 2^63 - 1 negative
    flags      INTEGER NOT NULL,
    PRIMARY KEY (device_id, position)
) WITHOUT ROWID;
CREATE TABLE memory_type (
    device_id      INTEGER NOT NULL REFERENCES device(id),
    position       INTEGER NOT NULL,
    name           TEXT NOT NULL,  -- "DEVICE_LOCAL|HOST_VISIBLE@device_local"
    heap           INTEGER NOT NULL,
    property_flags INTEGER NOT NULL,
    PRIMARY KEY (device_id, position)
) WITHOUT ROWID;
CREATE TABLE sweep_group (
    device_id   INTEGER NOT NULL REFERENCES device(id),
    fingerprint TEXT NOT NULL,     -- of the answers at every size
    cases       INTEGER NOT NULL,  -- how many cases are answered so
    PRIMARY KEY (device_id, fingerprint)
) WITHOUT ROWID;
CREATE TABLE sweep_case (
    device_id   INTEGER NOT NULL REFERENCES device(id),
    path        TEXT NOT NULL,  -- "/image_sweep/R8G8B8A8_UNORM/optimal/2d/SAMPLED/one_mip/layers_1/samples_1"
    fingerprint TEXT,           -- a sweep_group's; NULL: not supported
    PRIMARY KEY (device_id, path)
) WITHOUT ROWID;
CREATE INDEX device_fingerprint ON device (fingerprint);
CREATE INDEX device_name ON device (name);
CREATE INDEX device_driver ON device (driver_id, driver_version);
CREATE INDEX memory_type_name ON memory_type (name);
)sql";
}

}  // namespace heapwright::compare
