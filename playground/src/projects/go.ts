import type { Project } from "./project.js";

export const go: Project = {
	name: "queue",
	title: "Go: job queue",
	root: "file:///samples/queue",
	hint: "Try it: rename `j` to `job` at the cursor, wait for the suggestion, and press Tab.",
	start: { path: "queue.go", after: "\t\tj" },
	files: [
		{
			path: "queue.go",
			text: `package queue

import "fmt"

type Queue struct {
	jobs   []Job
	failed []Job
}

func (q *Queue) Add(job Job) {
	q.jobs = append(q.jobs, job)
}

func (q *Queue) Run() int {
	done := 0
	for len(q.jobs) > 0 {
		j := q.jobs[0]
		q.jobs = q.jobs[1:]
		if err := j.Do(); err != nil {
			fmt.Println(j.Name, err)
			q.failed = append(q.failed, j)
			continue
		}
		done++
	}
	return done
}
`,
		},
		{
			path: "job.go",
			text: `package queue

import "errors"

type Job struct {
	Name  string
	Tries int
	Work  func() error
}

var ErrTired = errors.New("tried too often")

func (j *Job) Do() error {
	if j.Tries > 3 {
		return ErrTired
	}
	j.Tries++
	return j.Work()
}
`,
		},
	],
};
