/* SPDX-License-Identifier: MIT */
#include "cli/output.h"
#include "run/messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int output_write(void *ctx, const char *bytes, size_t n)
{
	FILE *file = ctx;

	errno = 0;
	if (fwrite(bytes, 1, n, file) == n && !fflush(file))
		return 0;
	return errno ? -errno : -EIO;
}

static void json_file_forget(struct json_file *f)
{
	free(f->tmp);
	free(f->path);
	*f = (struct json_file){.file = NULL};
}

static int json_file_fail(struct json_file *f, int err)
{
	messages_error("--json %s: can't be written: %s", f->path, strerror(-err));
	json_file_forget(f);
	return err;
}

/* A file that was there stays whose it is, also when root writes it for somebody. */
static void keep_owner(int fd, const struct stat *st)
{
	if (fchown(fd, st->st_uid, st->st_gid))
		return; /* not root: it becomes the caller's, as any new file */
	fchmod(fd, st->st_mode & 07777);
}

int json_file_open(struct json_file *f, const char *path)
{
	struct stat st;
	bool exists;

	*f = (struct json_file){.file = NULL};
	if (!path)
		return 0;
	exists = strcmp(path, "-") && !stat(path, &st);
	/* Through a link to the file itself: it is not the link that shall be replaced. */
	f->path = exists ? realpath(path, NULL) : NULL;
	if (!f->path)
		f->path = strdup(path);
	if (!f->path) {
		messages_error("--json %s: no memory", path);
		return -ENOMEM;
	}
	if (!strcmp(path, "-")) {
		f->file = stdout;
		return 0;
	}
	if (exists && !S_ISREG(st.st_mode))
		f->file = fopen(f->path, "we");
	else if (asprintf(&f->tmp, "%s.tmp", f->path) < 0)
		f->tmp = NULL;
	else
		f->file = fopen(f->tmp, "we");
	if (!f->file)
		return json_file_fail(f, errno ? -errno : -ENOMEM);
	if (f->tmp && exists)
		keep_owner(fileno(f->file), &st);
	return 0;
}

int json_file_finish(struct json_file *f, const struct result *result)
{
	struct report_out out = {.write = output_write, .ctx = f->file};
	int ret;

	if (!f->file)
		return 0;
	ret = result ? report_find("json")->result(result, &out) : 0;
	if (f->file != stdout && fclose(f->file) && !ret)
		ret = -errno;
	if (f->tmp && (!result || ret))
		remove(f->tmp);
	else if (f->tmp && rename(f->tmp, f->path))
		ret = -errno;
	if (ret)
		return json_file_fail(f, ret);
	json_file_forget(f);
	return 0;
}
