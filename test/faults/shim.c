/*
 * Preloaded into a server under test: lets calls of the system that concern one directory fail, as a control file says.
 * Sits below Node's own file operations and below the database alike.
 *
 *   FAULTS_UNDER    the directory        FAULTS_CONTROL    the file, mapped by both sides: see `struct control`
 */
#define _GNU_SOURCE
#define _LARGEFILE64_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/*
 * OPEN is opening something to be changed, READ includes opening it to be read. The database writes pages (STORE), and its head
 * through a descriptor that syncs (META). A full disk fails only writes that make a file longer.
 */
enum { OPEN = 1, WRITE = 2, SYNC = 4, ENTRY = 8, READ = 16, STORE = 32, META = 64 };
enum { SHORT = -1, SLOW = -2, LANDED = -3 };

struct control {
  _Atomic uint32_t armed;
  /* Which calls: a sum of the kinds above. */
  uint32_t kinds;
  /* What they return: an error of the system, or less than was asked for, or late, or EIO, the first of them though it is done. */
  int32_t error;
  /* Calls that pass first, then calls that fail; 0 for all that follow. */
  uint32_t skip;
  uint32_t times;
  uint32_t delay_ms;
  _Atomic uint32_t seen;
  _Atomic uint32_t hit;
};

#define DESCRIPTORS 65536
static struct control *control;
static const char *under;
static size_t under_length;
static _Atomic unsigned char tracked[DESCRIPTORS];
static _Atomic ino64_t tracked_file[DESCRIPTORS];

__attribute__((constructor)) static void begin(void) {
  under = getenv("FAULTS_UNDER");
  const char *file = getenv("FAULTS_CONTROL");
  if (under == NULL || file == NULL) return;
  under_length = strlen(under);
  int fd = open(file, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped != MAP_FAILED) control = mapped;
}

static int concerns(const char *path) { return control != NULL && strncmp(path, under, under_length) == 0; }

static unsigned char kind_of(const char *path, int flags) {
  size_t length = strlen(path);
  int is_store = length > 9 && strcmp(path + length - 9, "/data.mdb") == 0;
  return is_store ? (flags & O_DSYNC ? META : flags & O_CREAT ? STORE : WRITE) : WRITE;
}

static void track(int fd, unsigned char kind) {
  struct stat64 file;
  if (fd < 0 || fd >= DESCRIPTORS) return;
  tracked_file[fd] = kind && fstat64(fd, &file) == 0 ? file.st_ino : 0;
  tracked[fd] = kind;
}

/* Node closes by a call of its own, unseen from here: what else has the number since then is left alone. Were it the descriptor
 * by which threads wake each other, the process would end. */
static int concerns_fd(int fd) {
  struct stat64 file;
  if (control == NULL || fd < 0 || fd >= DESCRIPTORS || !tracked[fd]) return 0;
  if (fstat64(fd, &file) == 0 && file.st_ino == tracked_file[fd] && (S_ISREG(file.st_mode) || S_ISDIR(file.st_mode))) return 1;
  tracked[fd] = 0;
  return 0;
}

/* Whether this call goes wrong, and has to be made all the same (2); it has been late by then if that is what is wanted. */
static int goes_wrong(uint32_t kind) {
  if (control == NULL || !atomic_load(&control->armed)) return 0;
  /* After a head that is written and said to have failed the database puts the old one back, as a page: that fails as well. */
  uint32_t kinds = control->kinds | (control->error == LANDED && atomic_load(&control->hit) > 0 ? STORE : 0);
  if (!(kinds & kind)) return 0;
  uint32_t number = atomic_fetch_add(&control->seen, 1);
  if (number < control->skip) return 0;
  if (control->times != 0 && number >= control->skip + control->times) return 0;
  atomic_fetch_add(&control->hit, 1);
  if (control->error == SLOW) {
    struct timespec pause = {control->delay_ms / 1000, (long)(control->delay_ms % 1000) * 1000000};
    nanosleep(&pause, NULL);
    return 0;
  }
  if (control->error > 0) errno = control->error;
  if (control->error == LANDED) errno = EIO;
  return control->error == LANDED && number == control->skip ? 2 : 1;
}

/* An error is returned, not less than was asked for. */
static int is_error(void) { return control->error > 0 || control->error == LANDED; }

#define DONE_IF(wrong, call) \
  if (wrong == 2) { \
    (void)!(call); \
    errno = EIO; \
  }

#define REAL(result, name, parameters) \
  static result(*real) parameters; \
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, #name)

#define OPENING(name, parameters, path, arguments) \
  int name parameters { \
    REAL(int, name, parameters); \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
      va_list rest; \
      va_start(rest, flags); \
      mode = va_arg(rest, mode_t); \
      va_end(rest); \
    } \
    int own = concerns(path); \
    if (own && goes_wrong(flags & (O_CREAT | O_WRONLY | O_RDWR) ? OPEN : READ) && control->error > 0) return -1; \
    int fd = real arguments; \
    track(fd, own ? kind_of(path, flags) : 0); \
    return fd; \
  }

OPENING(open, (const char *path, int flags, ...), path, (path, flags, mode))
OPENING(open64, (const char *path, int flags, ...), path, (path, flags, mode))
OPENING(openat, (int folder, const char *path, int flags, ...), path, (folder, path, flags, mode))
OPENING(openat64, (int folder, const char *path, int flags, ...), path, (folder, path, flags, mode))

int close(int fd) {
  REAL(int, close, (int));
  track(fd, 0);
  return real(fd);
}

/* Whether a full disk would have a say in it. */
static int needs_room(int fd, off64_t at, size_t size) {
  struct stat64 file;
  if (control->error != ENOSPC || fstat64(fd, &file) != 0 || !S_ISREG(file.st_mode)) return 1;
  if (at < 0) at = lseek64(fd, 0, SEEK_CUR);
  return at + (off64_t)size > file.st_size;
}

static size_t bytes_of(const struct iovec *pieces, int count) {
  size_t sum = 0;
  for (int i = 0; i < count; i++) sum += pieces[i].iov_len;
  return sum;
}

#define WRITING(name, parameters, arguments, halved, at, size) \
  ssize_t name parameters { \
    REAL(ssize_t, name, parameters); \
    int wrong = concerns_fd(fd) && needs_room(fd, at, size) ? goes_wrong(tracked[fd]) : 0; \
    DONE_IF(wrong, real arguments) \
    if (wrong) return is_error() ? -1 : halved; \
    return real arguments; \
  }

WRITING(write, (int fd, const void *bytes, size_t size), (fd, bytes, size), real(fd, bytes, size > 1 ? size / 2 : size), -1,
        size)
WRITING(pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at),
        real(fd, bytes, size > 1 ? size / 2 : size, at), at, size)
WRITING(pwrite64, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at),
        real(fd, bytes, size > 1 ? size / 2 : size, at), at, size)
WRITING(writev, (int fd, const struct iovec *pieces, int count), (fd, pieces, count),
        real(fd, pieces, count > 1 ? count / 2 : count), -1, bytes_of(pieces, count))
WRITING(pwritev, (int fd, const struct iovec *pieces, int count, off_t at), (fd, pieces, count, at),
        real(fd, pieces, count > 1 ? count / 2 : count, at), at, bytes_of(pieces, count))
WRITING(pwritev64, (int fd, const struct iovec *pieces, int count, off64_t at), (fd, pieces, count, at),
        real(fd, pieces, count > 1 ? count / 2 : count, at), at, bytes_of(pieces, count))

#define SIMPLE(name, parameters, arguments, own, kind) \
  int name parameters { \
    REAL(int, name, parameters); \
    int wrong = (own) ? goes_wrong(kind) : 0; \
    DONE_IF(wrong, real arguments) \
    if (wrong && is_error()) return -1; \
    return real arguments; \
  }

SIMPLE(fsync, (int fd), (fd), concerns_fd(fd), SYNC)
SIMPLE(fdatasync, (int fd), (fd), concerns_fd(fd), SYNC)
SIMPLE(rename, (const char *from, const char *to), (from, to), concerns(from), ENTRY)
SIMPLE(unlink, (const char *path), (path), concerns(path), ENTRY)
SIMPLE(rmdir, (const char *path), (path), concerns(path), ENTRY)
SIMPLE(mkdir, (const char *path, mode_t mode), (path, mode), concerns(path), ENTRY)

#define READING(name, parameters, arguments) \
  ssize_t name parameters { \
    REAL(ssize_t, name, parameters); \
    if (concerns_fd(fd) && goes_wrong(READ) && control->error > 0) return -1; \
    return real arguments; \
  }

READING(read, (int fd, void *bytes, size_t size), (fd, bytes, size))
READING(pread, (int fd, void *bytes, size_t size, off_t at), (fd, bytes, size, at))
READING(pread64, (int fd, void *bytes, size_t size, off64_t at), (fd, bytes, size, at))
